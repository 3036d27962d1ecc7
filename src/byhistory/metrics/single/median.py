"""Middle of the numbers."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics._curve import quantile
from byhistory.metrics.base import Single
from byhistory.profile import NUMBER_LIKE, UNDEFINED, ColumnProfile


def median(p: ColumnProfile) -> float:
    """The number below which half of the finite numbers are, in the unit of the column (seconds since 1970 for dates);
    undefined without one. Exact up to 320 distinct values, beyond within 0.5 % of the ranks.

    >>> from byhistory.rows.local import profile_table
    >>> median(profile_table({"x": [1, 2, 9]})["x"])
    2.0
    """
    return quantile(p.quantiles, 0.5) if p.quantiles is not None else UNDEFINED


METRIC = Single(
    name="median",
    title="median",
    kinds=NUMBER_LIKE,
    bound=CHEBYSHEV,
    low=-math.inf,
    high=math.inf,
    compute=median,
    scale="level",
    unit="value",
    is_plain=True,
    in_paper=True,
)
