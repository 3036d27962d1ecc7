"""Characters in a value, on average."""

from __future__ import annotations

import math

from byhistory.bounds import CLT
from byhistory.metrics.base import Single
from byhistory.profile import UNDEFINED, ColumnProfile, Kind


def str_len(p: ColumnProfile) -> float:
    """Characters over values that are not null, 0 and up; undefined without values. Never rounded.

    >>> from byhistory.rows.local import profile_table
    >>> str_len(profile_table({"x": ["ab-12", "c-3", None]})["x"])
    4.0
    """
    return p.text.chars / p.text.count if p.text is not None and p.text.count else UNDEFINED


METRIC = Single(
    name="str_len",
    title="average length",
    kinds=frozenset({Kind.CATEGORICAL}),
    bound=CLT,
    low=0.0,
    high=math.inf,
    compute=str_len,
    scale="level",
    unit="characters",
    is_plain=True,
    in_paper=True,
)
