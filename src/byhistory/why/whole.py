"""Was a whole column renamed, or swapped with another?"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow.types as pt

from byhistory.why.change import distance
from byhistory.why.parts import plain
from byhistory.why.views import views

SAME = 0.15
"""Two columns have the same values if their distance is at most this (0 is equal, 1 nothing in common; a choice)."""
CLEARLY = 3.0
"""And if they are this many times nearer than the column is to itself in the run before (a choice)."""


def apart(now: Any, before: Any) -> float:
    """The distance of two columns in their values and in how these are written; 1 if they cannot be compared."""
    now, before = plain(now), plain(before)
    if len(now) == 0 or len(before) == 0 or now.type != before.type or pt.is_null(now.type):
        return 1.0
    weights, mine, theirs = np.ones(len(now)), np.arange(len(now)), np.arange(len(before))
    return max(distance(view, weights, mine, theirs) for view in views(now, before))


def swapped(now: Any, before: Any, columns: Iterable[str]) -> tuple[str, str] | None:
    """Two of some columns that have each other's values; None if there are none."""
    known = [c for c in columns if c in now.column_names and c in before.column_names]
    for a, b in combinations(known, 2):
        crossed = max(apart(now[a], before[b]), apart(now[b], before[a]))
        if crossed <= SAME and CLEARLY * crossed < min(apart(now[a], before[a]), apart(now[b], before[b])):
            return a, b
    return None


def renamed(now: Any, before: Any) -> tuple[str, str] | None:
    """A new column with the values of one that is gone, as its names now and before; None if there is none."""
    new = [c for c in now.column_names if c not in before.column_names]
    gone = [c for c in before.column_names if c not in now.column_names]
    pairs = [(apart(now[n], before[g]), n, g) for n in new for g in gone]
    if not pairs:
        return None
    best, name, was = min(pairs)
    return (name, was) if best <= SAME else None
