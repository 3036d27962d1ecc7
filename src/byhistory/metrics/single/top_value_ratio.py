"""Share of the most frequent value."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def top_value_ratio(p: ColumnProfile) -> float:
    """Share of values that are not null and equal the most frequent one, 0 to 1; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> top_value_ratio(profile_table({"x": ["a", "a", "b", "c", None]})["x"])
    0.5
    """
    v = p.values
    # Where rare values are not kept and all are rare, it is one of those that are missed.
    return max(float(v.counts.max(initial=0)), v.missed * (not len(v.counts))) / v.total if v and v.total else UNDEFINED


METRIC = Single(
    name="top_value_ratio",
    title="share of the most frequent value",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL, Kind.TEMPORAL, Kind.BINARY}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=top_value_ratio,
    scale="ratio",
    unit="share",
    is_plain=True,
)
