"""Sum of the numbers."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def total(p: ColumnProfile) -> float:
    """Sum of the finite numbers, in the unit of the column; exact for integers and decimals.

    Undefined without a number, and beyond the range of a float.

    >>> from byhistory.rows.local import profile_table
    >>> total(profile_table({"x": [1, 2, 6, None]})["x"])
    9.0
    """
    return p.numbers.sum if p.numbers is not None and p.numbers.count else UNDEFINED


METRIC = Single(
    name="sum",
    title="sum",
    kinds=frozenset({Kind.NUMERIC}),
    bound=CHEBYSHEV,
    low=-math.inf,
    high=math.inf,
    compute=total,
    scale="count",
    unit="value",
    is_plain=True,
    in_paper=True,
)
