"""Is a column a counter, whose numbers move on with every run?"""

from __future__ import annotations

import numpy as np

from byhistory.profile.arrays import Floats

COUNTED = 0.9
"""A column of whole numbers whose distinct values are more than this share of its rows is a counter (a choice)."""


def is_counter(now: Floats, before: Floats) -> bool:
    """Whether a column is a counter: whole numbers, nearly all distinct, as widely spread as before, but elsewhere.

    Where most of them lie is compared: those that overflowed may be anywhere.
    """
    here, there = (np.sort(x[np.isfinite(x)]) for x in (now, before))
    if min(len(here), len(there)) < 8:
        return False
    (a, b), (c, d) = _body(here), _body(there)
    all_differ = all(len(np.unique(x)) > COUNTED * len(x) for x in (here, there))
    whole = bool((np.rint(there) == there).all())
    return whole and all_differ and (b - a) < 3 * (d - c) < 9 * (b - a) and abs(a + b - c - d) / 2 > (b - a)


def _body(ordered: Floats) -> tuple[float, float]:
    """The ends of the shortest range that has half of the values."""
    half = len(ordered) // 2
    first = int(np.argmin(ordered[half:] - ordered[: len(ordered) - half]))
    return float(ordered[first]), float(ordered[first + half])
