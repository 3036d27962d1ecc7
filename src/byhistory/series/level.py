"""A new level: what was known before is moved onto it, so that its spread is not lost.

After a change that is here to stay, the runs before it say nothing about where a metric lies, but still how much it
varies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from byhistory.profile.arrays import Floats

LATEST = 30
"""Runs before the change that tell the old level: as many as prices are measured for."""
FIRST = 7
"""Runs since the change that tell the new level, at most: later ones may drift on their own."""
MOVED = 3.0
"""A metric has moved if it is so many spreads from the old level (a choice: the usual rule of three sigmas)."""
PART = 0.25
"""Of the way from nothing (or all) to a new level, how much a metric may vary there (a choice: rain that fell in a
third of the hours for the first time fell in four tenths a week later, and a gate that was answered stopped again)."""
_NOTHING_OR_ALL = ((0.0,), (0.0, 1.0))
"""Numbers, and shares, that vary once they are left; any other constant may be a constant in other units."""
_MAD_TO_STD = 1.4826
"""From the median of absolute deviations to the standard deviation of normal values."""


def onto_new_level(series: Floats, scales: Sequence[str], start: int, rows: float) -> Floats:
    """The series (one row per metric, one column per run) with the runs before `start` moved onto the level since.

    `scales` say how each metric varies: a "ratio" moves on its logit, where `rows` tell how close to 0 and 1 it can be;
    a "distance" to the run before does not move, because the next run is compared with the new level already; all
    others move by a factor where they keep their sign, so that their spread grows with them, and else by a difference.
    What was always nothing (or all), and then moved, is expected to vary by a part of that.

    >>> onto_new_level(np.array([[10.0, 11.0, 9.0, 1000.0]]), ["level"], 3, 100).round().tolist()
    [[1000.0, 1100.0, 900.0, 1000.0]]
    >>> onto_new_level(np.array([[1.0, 1.0, 1.0, 0.6]]), ["ratio"], 3, 100).round(1).tolist()
    [[0.7, 0.5, 0.7, 0.6]]
    """
    out = series.copy()
    for i, scale in enumerate(scales):
        before, after = series[i, :start], series[i, start : start + FIRST]
        known, new = before[np.isfinite(before)][-LATEST:], after[np.isfinite(after)]
        if scale != "distance" and len(known) and len(new):
            out[i, :start] = _moved(before, known, new, scale, rows)
            if (known == known[0]).all() and known[0] in _NOTHING_OR_ALL[scale == "ratio"]:
                out[i, :start] += _unsteadily(start, known[0], float(np.median(new)), scale)
    return out


def _unsteadily(runs: int, old: float, new: float, scale: str) -> Floats:
    """What is added to runs that were all nothing: nobody knows how the metric varies now, but that it does."""
    room = min(new, 1.0 - new) if scale == "ratio" else abs(new)
    return np.where(np.arange(runs) % 2 == 0, 1.0, -1.0) * PART * max(0.0, min(abs(new - old), room))


def _moved(before: Floats, known: Floats, new: Floats, scale: str, rows: float) -> Floats:
    if scale == "ratio":
        least = 0.5 / max(rows, 1.0)

        def there(x: Floats) -> Floats:
            share = np.clip(x, least, 1.0 - least)
            return np.asarray(np.log(share / (1.0 - share)))

        shift = _shift(there(known), there(new))
        if not shift:
            return before
        moved = 1.0 / (1.0 + np.exp(-(there(before) + shift)))
        edge = 2.0 * least  # what cannot be told from 0 or 1 with so many rows is 0 or 1
        return np.where(moved < edge, 0.0, np.where(moved > 1.0 - edge, 1.0, moved))
    if (known > 0).all() and (new > 0).all():
        return np.asarray(before * np.exp(_shift(np.log(known), np.log(new))))
    if (known < 0).all() and (new < 0).all():
        return np.asarray(before * np.exp(_shift(np.log(-known), np.log(-new))))
    return np.asarray(before + _shift(known, new))


def _shift(known: Floats, new: Floats) -> float:
    """From the old level to the new one; none where the metric did not move."""
    old, level = float(np.median(known)), float(np.median(new))
    spread = _MAD_TO_STD * float(np.median(np.abs(known - old)))
    return level - old if abs(level - old) > MOVED * spread else 0.0
