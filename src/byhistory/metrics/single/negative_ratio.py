"""Share of numbers that are below zero."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def negative_ratio(p: ColumnProfile) -> float:
    """Share of the finite numbers that are below zero, 0 to 1; undefined without one.

    >>> from byhistory.rows.local import profile_table
    >>> negative_ratio(profile_table({"x": [-1, 1, 2, 3, None]})["x"])
    0.25
    """
    return p.numbers.negatives / p.numbers.count if p.numbers is not None and p.numbers.count else UNDEFINED


METRIC = Single(
    name="negative_ratio",
    title="share of numbers that are below zero",
    kinds=frozenset({Kind.NUMERIC}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=negative_ratio,
    scale="ratio",
    unit="share",
    is_plain=True,
)
