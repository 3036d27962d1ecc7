"""Share of numbers that are whole."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def integer_ratio(p: ColumnProfile) -> float:
    """Share of the finite numbers that are whole, 0 to 1; undefined without one.

    >>> from byhistory.rows.local import profile_table
    >>> integer_ratio(profile_table({"x": [1.0, 2.5]})["x"])
    0.5
    """
    return p.numbers.integers / p.numbers.count if p.numbers is not None and p.numbers.count else UNDEFINED


METRIC = Single(
    name="integer_ratio",
    title="share of numbers that are whole",
    kinds=frozenset({Kind.NUMERIC}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=integer_ratio,
    scale="ratio",
    unit="share",
)
