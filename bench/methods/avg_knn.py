"""Average KNN: how far are the nearest past runs, on average?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features
from scipy.spatial.distance import cdist

from byhistory.profile.arrays import Floats

# Tried, not each with each: 1, 3, 5, 10 neighbours × clip 3, 5, 10, 20, 40 × distance as it is, over √metrics, over
# that of the past runs.
NEIGHBOURS, CLIP = 5, 10.0


def distance(history: Floats, now: Floats) -> Floats:
    """Mean distance to the nearest runs, per metric: deviations, whatever the number of metrics."""
    nearest = np.sort(cdist(now, history), axis=1)[:, :NEIGHBOURS]
    return np.asarray(nearest.mean(axis=1) / np.sqrt(history.shape[1]))


METHOD = Method(
    "avg_knn",
    "Avg-KNN",
    "anomaly detection",
    on_features(distance, CLIP),
    note='What pyod\'s KNN(method="mean") computes, in two lines; the tests compare.',
)
