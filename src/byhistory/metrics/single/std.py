"""Standard deviation of the numbers."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import NUMBER_LIKE, UNDEFINED, ColumnProfile


def std(p: ColumnProfile) -> float:
    """Standard deviation (n - 1) of the finite numbers, 0 and up, in the unit of the column (seconds for dates and
    timestamps); undefined below two of them.

    >>> from byhistory.rows.local import profile_table
    >>> std(profile_table({"x": [1, 2, 3, None]})["x"])
    1.0
    """
    n = p.numbers
    if n is None or n.count < 2:
        return UNDEFINED
    # Rounding can give a constant a spread, and then nothing would be constant.
    return 0.0 if n.low == n.high else n.std


METRIC = Single(
    name="std",
    title="standard deviation",
    kinds=NUMBER_LIKE,
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=std,
    scale="count",
    unit="value",
)
