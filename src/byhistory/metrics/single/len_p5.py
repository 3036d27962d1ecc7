"""The length that 5 % of the values are below."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics._curve import quantile
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def len_p5(p: ColumnProfile) -> float:
    """The length below which 1 in 20 of the values that are not null are, in characters, 0 and up;
    undefined without values. Exact up to 80 different lengths, beyond within 2 % of the ranks.

    >>> from byhistory.rows.local import profile_table
    >>> len_p5(profile_table({"x": ["a", "bb", "ccc"]})["x"])
    1.1
    """
    return quantile(p.lengths, 0.05) if p.lengths is not None else UNDEFINED


METRIC = Single(
    name="len_p5",
    title="percentile 5 of the length",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=len_p5,
    scale="level",
    unit="characters",
)
