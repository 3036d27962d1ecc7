"""Telemanom: is the smoothed error of an LSTM's forecast beyond a threshold that the past errors set?"""

from __future__ import annotations

import numpy as np
from bench.methods._lstm import foresee
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

SMOOTHED = 0.5
"""Weight of the newest error. (Hundman et al. smooth over 105 points of 2,100: here that is about a run and a half.)"""
FACTORS = np.arange(2.5, 12.0, 0.5)
LEAST = 1.0  # Tried: .1, .5, 1, and newest weights of .5, .8, 1, on a tenth of the columns.
"""Deviations: what an error is at least."""


def smoothed(errors: Floats, weight: float = SMOOTHED) -> Floats:
    """Exponentially weighted means along the first axis."""
    found = np.empty(errors.shape)
    found[0] = errors[0]
    for i in range(1, len(errors)):
        found[i] = weight * errors[i] + (1 - weight) * found[i - 1]
    return found


def threshold(errors: Floats) -> float:
    """The dynamic threshold: mean + z deviations, for the z that best sets a few large errors apart.

    The best one maximises (fall of the mean + fall of the deviation, relative, when what is above is removed) over
    (how many are above + the square of how many stretches they form); without any above, the largest z.
    """
    mean, deviation = float(errors.mean()), float(errors.std())
    best, found = 0.0, mean + float(FACTORS[-1]) * deviation
    for factor in FACTORS:
        level = mean + float(factor) * deviation
        above = errors > level
        if not above.any() or above.all() or deviation <= 0:
            continue
        stretches = int(above[0]) + int((np.diff(above.astype(int)) == 1).sum())
        fall = (mean - errors[~above].mean()) / mean + (deviation - errors[~above].std()) / deviation
        worth = fall / (above.sum() + stretches**2)
        if worth >= best:
            best, found = worth, level
    return found


def beyond(history: Floats, now: Floats) -> Floats:
    """The smoothed error in thresholds: 1 is an anomaly to Telemanom.

    Every metric is a channel with a threshold of its own; they are joined by their mean square.
    """
    errors, foreseen = foresee(history, layers=2)
    past = smoothed(np.maximum(np.abs(errors), LEAST))
    new = SMOOTHED * np.abs(now - foreseen) + (1 - SMOOTHED) * past[-1]
    level = np.array([threshold(channel) for channel in past.T])
    return np.asarray(np.sqrt(np.square(new / level).mean(axis=1)))


METHOD = Method(
    "telemanom",
    "Telemanom",
    "time series",
    on_features(beyond),
    note="Its dynamic threshold by hand on the errors of a small LSTM; the metrics joined by mean square.",
    package="torch",
    is_slow=True,
)
