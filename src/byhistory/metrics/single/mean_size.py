"""Size of a value, on average."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def mean_size(p: ColumnProfile) -> float:
    """Bytes (binary) or elements (arrays and maps) over values that are not null, 0 and up; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> mean_size(profile_table({"x": [[1, 2], [3], None]})["x"])
    1.5
    """
    q = p.lengths
    return float(q.values @ q.weights) / q.count if q is not None and len(q.values) else UNDEFINED


METRIC = Single(
    name="mean_size",
    title="average size",
    kinds=frozenset({Kind.BINARY, Kind.NESTED}),
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=mean_size,
    scale="level",
    unit="size",
    is_plain=True,
)
