"""Azure Anomaly Detector: does the spectral residual of a metric stand out at the run to judge?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

SMOOTHED, AHEAD, GRADIENTS, BEFORE = 3, 5, 5, 21  # q, κ, m and z of Ren et al. 2019
# Tried, not each with each: least saliency 1e-8, .02, .1 × metrics joined by the mean, the mean square, the mean fourth
# power, the worst.
LEAST = 0.1
"""What the saliency of the runs before is taken to be at least: that of a metric that never moved is 0."""
_NOTHING = 1e-8
"""An amplitude below this is none: rounding."""


def saliency(series: Floats) -> Floats:
    """The saliency map of series (along the first axis): what is left of each without its smoothed spectrum.

    The logarithm of the amplitudes less their moving average, with the phases as they were, transformed back.
    """
    spectrum = np.fft.fft(series, axis=0)
    amplitude = np.abs(spectrum)
    log = np.log(np.maximum(amplitude, _NOTHING))
    padded = np.concatenate([np.repeat(log[:1], SMOOTHED - 1, axis=0), log])
    smooth = sum(padded[i : len(log) + i] for i in range(SMOOTHED)) / SMOOTHED
    residual = np.where(amplitude > _NOTHING, np.exp(log - smooth) * spectrum / np.maximum(amplitude, _NOTHING), 0.0)
    return np.asarray(np.abs(np.fft.ifft(residual, axis=0)))


def extended(series: Floats) -> Floats:
    """With points ahead, so that the last one is not at the edge: where the mean of the gradients before it leads.

    (The paper takes the gradients of the last one itself, so that a spike looks like a step; Microsoft's code leaves
    outliers out, too.)
    """
    known = series[:-1]
    m = min(GRADIENTS, len(known) - 1)
    gradients = [(known[-1] - known[-1 - i]) / i for i in range(1, m + 1)]
    ahead = known[-m] + np.mean(gradients, axis=0) * m
    return np.concatenate([series, np.repeat(ahead[None], AHEAD, axis=0)])


def salience(history: Floats, now: Floats) -> Floats:
    """How much the saliency of a run is above that of the runs before it, relative; mean square of the metrics."""
    runs, metrics = now.shape
    series = np.empty((len(history) + 1, runs, metrics))
    series[:-1], series[-1] = history[:, None], now
    found = saliency(extended(series))[: len(series)]
    usual = found[-1 - BEFORE : -1].mean(axis=0)
    above = np.maximum((found[-1] - usual) / np.maximum(usual, LEAST), 0.0)
    return np.asarray(np.sqrt(np.square(above).mean(axis=1)))


METHOD = Method(
    "azure_anomaly_detector",
    "Azure Anomaly Detector",
    "commercial",
    on_features(salience),
    note="The service is retired: spectral residual, restated from Ren et al. 2019, on each metric.",
)
