"""The length that 95 % of the values are below."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics._curve import quantile
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def len_p95(p: ColumnProfile) -> float:
    """The length below which 19 in 20 of the values that are not null are, in characters, 0 and up;
    undefined without values. Exact up to 80 different lengths, beyond within 2 % of the ranks.

    >>> from byhistory.rows.local import profile_table
    >>> len_p95(profile_table({"x": ["a", "bb", "ccc"]})["x"])
    2.9
    """
    return quantile(p.lengths, 0.95) if p.lengths is not None else UNDEFINED


METRIC = Single(
    name="len_p95",
    title="percentile 95 of the length",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=len_p95,
    scale="level",
    unit="characters",
)
