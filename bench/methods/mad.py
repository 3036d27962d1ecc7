"""Median absolute deviation (Hampel X84): how far are the metrics from their medians?"""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method
from bench.methods.features import CLIP, TOLERANCE

from byhistory.profile.arrays import Floats

# Tried: the farthest metric alone (.17: it ties at the cap), the mean of the squares with the deviation as it is, and
# with half the standard deviation as its least (.73), which is what is used: a metric that seldom moves has none.
LEAST = 0.5


def score(past: Past, now: Floats) -> Floats:
    """The mean square of the distances of the metrics from their medians, in units of 1.4826 median deviations."""
    series = np.where(np.isfinite(past.series), past.series, np.nan)
    known = np.isfinite(series).sum(axis=1) >= 2
    series, now = series[known], now[:, known]
    with np.errstate(all="ignore"):
        centre = np.nanmedian(series, axis=1)
        mad = 1.4826 * np.nanmedian(np.abs(series - centre[:, None]), axis=1)
        mad = np.maximum(mad, LEAST * np.nanstd(series, axis=1))
        still = mad <= TOLERANCE * np.maximum(1e-300, np.abs(centre))
        away = np.abs(now - centre)
        far = np.where(still, np.where(away > TOLERANCE * np.maximum(1e-12, np.abs(centre)), CLIP, 0.0), away / mad)
    far = np.minimum(np.where(np.isfinite(far), far, 0.0), CLIP)
    return np.asarray((far**2).mean(axis=1)) if far.shape[1] else np.zeros(len(now))


METHOD = Method("mad", "MAD (Hampel X84)", "statistical test", score)
