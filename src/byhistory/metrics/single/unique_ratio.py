"""Share of distinct values among the values."""

from __future__ import annotations

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def unique_ratio(p: ColumnProfile) -> float:
    """Distinct values over values that are not null, 0 to 1; undefined without values.

    Exact up to 4,096 distinct values, within 2 % beyond.

    >>> from byhistory.rows.local import profile_table
    >>> unique_ratio(profile_table({"x": ["a", "a", "b", None]})["x"])
    0.6666666666666666
    """
    return min(p.distinct / p.present, 1.0) if p.present and p.values is not None else UNDEFINED


METRIC = Single(
    name="unique_ratio",
    title="share of distinct values",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL, Kind.TEMPORAL, Kind.BINARY}),
    bound=CHEBYSHEV,
    low=0.0,
    high=1.0,
    compute=unique_ratio,
    scale="ratio",
    unit="share",
    in_paper=True,
)
