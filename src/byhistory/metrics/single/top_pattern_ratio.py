"""Share of the most frequent pattern."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def top_pattern_ratio(p: ColumnProfile) -> float:
    """Share of values that are not null and have the most frequent pattern, 0 to 1; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> top_pattern_ratio(profile_table({"x": ["a-1", "b-2", "c"]})["x"])
    0.6666666666666666
    """
    v = p.patterns
    return float(v.counts.max()) / v.total if v is not None and v.total else UNDEFINED


METRIC = Single(
    name="top_pattern_ratio",
    title="share of the most frequent pattern",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=top_pattern_ratio,
    scale="ratio",
    unit="share",
)
