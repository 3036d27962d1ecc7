"""Largest number."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import NUMBER_LIKE, UNDEFINED, ColumnProfile


def maximum(p: ColumnProfile) -> float:
    """Largest finite number, in the unit of the column (seconds since 1970 for dates and timestamps);
    undefined without one.

    >>> from byhistory.rows.local import profile_table
    >>> maximum(profile_table({"x": [3, 1, None]})["x"])
    3.0
    """
    return p.numbers.high if p.numbers is not None and p.numbers.count else UNDEFINED


METRIC = Single(
    name="max",
    title="largest value",
    kinds=NUMBER_LIKE,
    bound=CHEBYSHEV,
    low=-math.inf,
    high=math.inf,
    compute=maximum,
    scale="level",
    unit="value",
    is_plain=True,
    in_paper=True,
)
