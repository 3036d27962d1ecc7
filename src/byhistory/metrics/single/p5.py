"""The value that 5 % of the numbers are below."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics._curve import quantile
from byhistory.metrics.base import Single
from byhistory.profile import NUMBER_LIKE, UNDEFINED, ColumnProfile


def p5(p: ColumnProfile) -> float:
    """The number below which 1 in 20 of the finite numbers are, in the unit of the column (seconds since 1970 for
    dates and timestamps); undefined without one. Exact up to 320 distinct values, beyond within 0.5 % of
    the ranks.

    >>> from byhistory.rows.local import profile_table
    >>> p5(profile_table({"x": list(range(101))})["x"])
    5.0
    """
    return quantile(p.quantiles, 0.05) if p.quantiles is not None else UNDEFINED


METRIC = Single(
    name="p5",
    title="percentile 5",
    kinds=NUMBER_LIKE,
    bound=CHEBYSHEV,
    low=-math.inf,
    high=math.inf,
    compute=p5,
    scale="level",
    unit="value",
)
