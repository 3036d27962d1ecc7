"""Local Outlier Factor: is a run in a sparser place than its nearest past runs are?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import jittered, on_features

from byhistory.profile.arrays import Floats

# Tried, not each with each: 5, 10, 20 neighbours × clip 10, 15, 20 × noise 0, .1, .3, .5, 1. Without noise, where runs
# repeat, all others are infinitely far.
NEIGHBOURS, NOISE, CLIP = 20, 0.5, 15.0


def factor(history: Floats, now: Floats) -> Floats:
    """The logarithm of the factor: 0 is as dense as its neighbours."""
    from sklearn.neighbors import LocalOutlierFactor

    known = jittered(history, NOISE)
    model = LocalOutlierFactor(min(NEIGHBOURS, len(known) - 1), novelty=True, algorithm="brute").fit(known)
    return np.asarray(np.log(-model.score_samples(now)))


METHOD = Method("lof", "LOF", "anomaly detection", on_features(factor, CLIP), package="sklearn")
