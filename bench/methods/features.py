"""The metrics of a past as rivals get them: scaled on the past only, without holes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bench.cases.cases import Past

from byhistory.profile.arrays import Floats

CLIP = 20.0
"""Standard deviations beyond which a feature says no more; a constant that changed is that far away."""
TOLERANCE = 1e-9
"""A metric whose spread is smaller, relative to its size, is constant but for rounding."""
JITTERED = 400
"""Most runs of a past."""


def standardised(past: Past, now: Floats, clip: float = CLIP) -> tuple[Floats, Floats]:
    """The past (one row per run) and the runs to judge, in standard deviations of the past.

    A metric undefined in the past half of the time or more is left out. What is undefined in a run is put where the
    past is on average, unless the past always had it: then it is as far away as can be.
    """
    history = past.series.T
    known = np.isfinite(history)
    keep = known.mean(axis=0) >= 0.5
    history, known, now = history[:, keep], known[:, keep], now[:, keep]
    with np.errstate(all="ignore"):
        centre = np.nanmean(np.where(known, history, np.nan), axis=0)
        spread = np.nanstd(np.where(known, history, np.nan), axis=0)
        still = spread <= TOLERANCE * np.maximum(1e-300, np.abs(centre))
        past_z = np.where(known & ~still, (history - centre) / np.where(still, 1.0, spread), 0.0)
        away = np.abs(now - centre) > TOLERANCE * np.maximum(1e-12, np.abs(centre))
        now_z = np.where(
            still, np.where(away, clip * np.sign(now - centre), 0.0), (now - centre) / np.where(still, 1.0, spread)
        )
    always = known[1:].all(axis=0)
    now_z = np.where(np.isfinite(now_z), now_z, np.where(always & ~np.isfinite(now), clip, 0.0))
    return np.clip(past_z, -clip, clip), np.clip(now_z, -clip, clip)


def on_features(score: Callable[[Floats, Floats], Floats], clip: float = CLIP) -> Callable[[Past, Floats], Floats]:
    """A method that sees points: its past and the runs to judge, one row each; nan where there is nothing to see."""

    def scored(past: Past, now: Floats) -> Floats:
        history, runs = standardised(past, now, clip)
        return score(history, runs) if history.size else np.full(len(now), np.nan)

    return scored


def jittered(history: Floats, size: float) -> Floats:
    """The past with a little fixed noise, for methods of density: where runs repeat, theirs is infinite."""
    noise = np.random.default_rng(0).normal(0.0, size, (JITTERED, history.shape[1]))
    return np.asarray(history + noise[-len(history) :])
