"""Average of the numbers."""

from __future__ import annotations

import math

from byhistory.bounds import CLT
from byhistory.metrics.base import Single
from byhistory.profile import NUMBER_LIKE, UNDEFINED, ColumnProfile


def mean(p: ColumnProfile) -> float:
    """Average of the finite numbers, in the unit of the column (seconds since 1970 for dates and timestamps);
    undefined without one.

    >>> from byhistory.rows.local import profile_table
    >>> mean(profile_table({"x": [1, 2, 6, None]})["x"])
    3.0
    """
    n = p.numbers
    if n is None or not n.count:
        return UNDEFINED
    # Rounding can move the average of a constant off it, and then nothing would be constant.
    return min(max(n.mean, n.low), n.high)


METRIC = Single(
    name="mean",
    title="average",
    kinds=NUMBER_LIKE,
    bound=CLT,
    low=-math.inf,
    high=math.inf,
    compute=mean,
    scale="level",
    unit="value",
    is_plain=True,
    in_paper=True,
)
