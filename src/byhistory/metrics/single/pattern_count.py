"""Number of patterns."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def pattern_count(p: ColumnProfile) -> float:
    """Distinct patterns of the values that are not null, 0 and up; undefined without rows.

    Exact up to 512 patterns, within 2 % beyond.

    >>> from byhistory.rows.local import profile_table
    >>> pattern_count(profile_table({"x": ["ab-12", "c-3", "d"]})["x"])
    2.0
    """
    return p.patterns.distinct if p.rows and p.patterns is not None else UNDEFINED


METRIC = Single(
    name="pattern_count",
    title="number of patterns",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=pattern_count,
    scale="count",
    unit="values",
)
