"""Sequential dependencies: does a metric step further than it ever did?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

LEAST = 2.0  # Tried: .05, .5, 1, 2.
"""Deviations: the narrowest interval of steps."""


def outside(history: Floats, now: Floats) -> Floats:
    """How far the step to a run is outside of the interval of the past steps, in widths of it, mean square of the
    metrics. The dependency is time →[least step, largest step] metric.
    """
    steps = np.diff(history, axis=0)
    low, high = steps.min(axis=0), steps.max(axis=0)
    step = now - history[-1]
    over = np.maximum(np.maximum(low - step, step - high), 0.0) / np.maximum(high - low, LEAST)
    return np.asarray(np.sqrt(np.square(over).mean(axis=1)))


METHOD = Method("sequential_dependency", "Sequential dependencies", "constraint", on_features(outside))
