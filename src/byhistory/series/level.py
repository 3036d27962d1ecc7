"""After a lasting change, the runs before it are moved onto the new level, so that what is known of their spread stays.

After a change that is here to stay, the runs before it say nothing about where a metric lies, but still how much it
varies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from byhistory.profile.arrays import Floats

LATEST = 30
"""Runs before the change that give the old level: as many as prices are measured for."""
FIRST = 7
"""Runs since the change that give the new level, at most (a choice): later ones may drift on their own."""
MOVED = 3.0
"""A metric has moved if it is this many spreads from the old level (a choice: the usual rule of three sigmas)."""
PART = 0.25
"""How much a metric may vary at a new level that it reached from nothing (or all): a part of the way there. A choice:
rain that for the first time fell in a third of the hours fell in four tenths a week later, and stopped a run again."""
_NOTHING_OR_ALL = ((0.0,), (0.0, 1.0))
"""Constants of numbers, and of shares, that start to vary once they are left; others may be constant in other units."""
_MAD_TO_STD = 1.4826
"""Factor from the median absolute deviation to the standard deviation of normal values."""


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
    """What is added to runs that all read nothing (or all): how the metric will vary is unknown, only that it will."""
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
        edge = 2.0 * least  # what looks like 0 or 1 with this many rows is 0 or 1
        return np.where(moved < edge, 0.0, np.where(moved > 1.0 - edge, 1.0, moved))
    if (known > 0).all() and (new > 0).all():
        return np.asarray(before * np.exp(_shift(np.log(known), np.log(new))))
    if (known < 0).all() and (new < 0).all():
        return np.asarray(before * np.exp(_shift(np.log(-known), np.log(-new))))
    return np.asarray(before + _shift(known, new))


def _shift(known: Floats, new: Floats) -> float:
    """The step from the old level to the new one; 0 if the metric did not move.

    A metric that had moved already before the change, in most of its last runs, is where these are.
    """
    old, level = float(np.median(known)), float(np.median(new))
    spread, latest = _spread(known, old), known[-FIRST:]
    if abs(last := float(np.median(latest)) - old) > MOVED * spread:
        old += last
        spread = _spread(latest, old)
    return level - old if abs(level - old) > MOVED * spread else 0.0


def _spread(values: Floats, level: float) -> float:
    return _MAD_TO_STD * float(np.median(np.abs(values - level)))
