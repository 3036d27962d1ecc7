"""Length of the longest value."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def len_max(p: ColumnProfile) -> float:
    """Characters (bytes for binary) of the longest value, 0 and up; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> len_max(profile_table({"x": ["a", "bb", None]})["x"])
    2.0
    """
    return float(p.lengths.values[-1]) if p.lengths is not None and len(p.lengths.values) else UNDEFINED


METRIC = Single(
    name="len_max",
    title="length of the longest value",
    kinds=frozenset({Kind.CATEGORICAL, Kind.BINARY}),
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=len_max,
    scale="level",
    unit="size",
)
