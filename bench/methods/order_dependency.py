"""Order dependencies: does a metric that only went one way go the other way?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

# Tried: exact ones only; the truest of the broken ones; and this, with every one weighed by its truth.
TRUTH = 4


def broken(history: Floats, now: Floats) -> Floats:
    """How far a run goes back on the orders of the past, in deviations, mean square of the metrics.

    time → metric and time → −metric are dependencies of every metric, as approximate as the past makes them: each
    weighs the share of the past steps that kept it, to a high power. A metric that never moved has both.
    """
    steps = np.diff(history, axis=0)
    rising, falling = (steps >= 0).mean(axis=0) ** TRUTH, (steps <= 0).mean(axis=0) ** TRUTH
    step = now - history[-1]
    back = rising * np.maximum(-step, 0.0) + falling * np.maximum(step, 0.0)
    return np.asarray(np.sqrt(np.square(back).mean(axis=1)))


METHOD = Method(
    "order_dependency",
    "Order dependencies",
    "constraint",
    on_features(broken),
    note="Approximate ones of time and each metric.",
)
