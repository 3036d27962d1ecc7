"""Number of distinct values."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def dist_val_count(p: ColumnProfile) -> float:
    """Distinct values that are not null, 0 and up; undefined without rows.

    Exact up to 4,096 distinct values, within 2 % beyond.

    >>> from byhistory.rows.local import profile_table
    >>> dist_val_count(profile_table({"x": ["a", "a", "b", None]})["x"])
    2.0
    """
    return p.distinct if p.rows and p.values is not None else UNDEFINED


METRIC = Single(
    name="dist_val_count",
    title="number of distinct values",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL, Kind.BINARY}),
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=dist_val_count,
    scale="count",
    unit="values",
    is_plain=True,
    in_paper=True,
    discrete_only=True,
)
