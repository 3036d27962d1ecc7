"""White space in a value, on average."""

from __future__ import annotations

import math

from byhistory.bounds import CHEBYSHEV
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def space_len(p: ColumnProfile) -> float:
    """Characters of white space over values that are not null, 0 and up; undefined without values.

    >>> from byhistory.rows.local import profile_table
    >>> space_len(profile_table({"x": ["a b", "c"]})["x"])
    0.5
    """
    return p.text.spaces / p.text.count if p.text is not None and p.text.count else UNDEFINED


METRIC = Single(
    name="space_len",
    title="average number of white-space characters",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CHEBYSHEV,
    low=0.0,
    high=math.inf,
    compute=space_len,
    scale="level",
    unit="characters",
)
