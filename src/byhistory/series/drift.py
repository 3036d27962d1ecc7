"""Has a level moved slowly, so that no single run shows it?

Seven runs of long ago are compared with the last seven. The level must have moved far, and steadily: one that wanders
or follows the seasons goes back and forth, and its way from then to now is short compared with its steps (ADR 0016).
"""

from __future__ import annotations

import math

import numpy as np

from byhistory.profile.arrays import Bools, Floats

BLOCK, STEPS = 7, 8
"""How many runs make a level (their median), and how many levels make up the recent past."""
FAR_BACK, LEAST = 100, 63
"""How many runs back the old level may be, and how many runs are needed to say anything."""
FACTOR, SHARE = 1.5, 0.2
"""How far numbers and shares must have moved: good tables drift so in 0.5 % of runs (`python -m bench.drift`)."""
STEADY = 2.3
"""The way must be this many times the root of the summed squares of its steps (a choice, priced together with
`FACTOR`); eight equal steps in one direction give 2.8."""


def levels(values: Floats) -> Floats:
    """The median of the seven runs up to each; nan where fewer than four of them have a value.

    >>> levels(np.arange(8.0)).tolist()
    [nan, nan, nan, nan, nan, nan, 3.0, 4.0]
    """
    out = np.full(len(values), np.nan)
    if len(values) >= BLOCK:
        wide = np.lib.stride_tricks.sliding_window_view(values, BLOCK)
        out[BLOCK - 1 :] = _level(wide)
    return out


def _level(blocks: Floats) -> Floats:
    """The median along the last axis; numpy's own takes fifty times as long where some are nan."""
    known = np.isfinite(blocks)
    ordered, count = np.sort(np.where(known, blocks, np.inf), axis=-1), known.sum(axis=-1)
    low, high = (np.take_along_axis(ordered, at[..., None], axis=-1)[..., 0] for at in ((count - 1) // 2, count // 2))
    return np.where(count > BLOCK // 2, (low + high) / 2.0, np.nan)


def has_drifted(path: Floats, *, is_share: bool, steady: float = STEADY, factor: float = FACTOR) -> Bools:
    """For each row of levels, from the old one to that of now, whether they moved far and steadily.

    >>> has_drifted(np.array([[50.0, 60, 80, 100, 130, 170, 200, 230, 250], [50.0] * 9]), is_share=False).tolist()
    [True, False]
    """
    if not is_share:
        sign = np.sign(path[:, :1])
        path = np.log(np.where(path * sign > 0, path * sign, np.nan))
    way = np.abs(path[:, -1] - path[:, 0])
    steps = np.sqrt((np.diff(path, axis=1) ** 2).sum(axis=1))
    return np.asarray((way >= (SHARE if is_share else math.log(factor))) & (way >= steady * steps))


def path_of(old: Floats, recent: Floats) -> Floats:
    """For each row, the level of seven old runs, then those of the recent runs, seven by seven up to the last."""
    blocks = recent[:, -BLOCK * STEPS :].reshape(len(recent), STEPS, BLOCK)
    return _level(np.concatenate([old[:, None, :BLOCK], blocks], axis=1))
