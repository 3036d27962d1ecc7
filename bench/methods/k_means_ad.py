"""K-MeansAD: how far is the nearest of a few typical runs?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features
from scipy.spatial.distance import cdist

from byhistory.profile.arrays import Floats

# Tried, not each with each: 1, 2, 3, 5, 10 clusters × windows of 1 and 3 runs × clip 10, 20; one run at a time
# is best, and all numbers of clusters are within 0.015 (one cluster, no K-means, ahead by 0.0015).
CLUSTERS, CLIP = 5, 10.0


def distance(history: Floats, now: Floats) -> Floats:
    """Distance to the nearest centre, per metric: deviations, whatever the number of metrics."""
    from sklearn.cluster import KMeans

    clusters = min(CLUSTERS, len(np.unique(history, axis=0)))
    model = KMeans(clusters, n_init=1, random_state=0).fit(history)
    return np.asarray(cdist(now, model.cluster_centers_).min(axis=1) / np.sqrt(history.shape[1]))


METHOD = Method(
    "k_means_ad",
    "K-MeansAD",
    "anomaly detection",
    on_features(distance, CLIP),
    note="On sklearn's KMeans, as the published one is; windows of one run, which were best.",
    package="sklearn",
)
