"""Distance from the smallest to the largest number."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import NUMBER_LIKE, UNDEFINED, ColumnProfile


def value_range(p: ColumnProfile) -> float:
    """Largest minus smallest finite number, 0 and up, in the unit of the column (seconds for dates and timestamps).

    Undefined without a number, and beyond the range of a float.

    >>> from byhistory.rows.local import profile_table
    >>> value_range(profile_table({"x": [3, 1, None]})["x"])
    2.0
    """
    width = p.numbers.high - p.numbers.low if p.numbers is not None and p.numbers.count else UNDEFINED
    return width if math.isfinite(width) else UNDEFINED


METRIC = Single(
    name="range",
    title="distance from smallest to largest value",
    kinds=NUMBER_LIKE,
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=value_range,
    scale="count",
    unit="value",
    is_plain=True,
    in_paper=True,
)
