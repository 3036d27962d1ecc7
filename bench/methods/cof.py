"""Connectivity-based Outlier Factor: is the chain that ties a run to its neighbours longer than theirs?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import jittered, on_features
from scipy.spatial.distance import cdist

from byhistory.profile.arrays import Floats, Ints

# Tried, not each with each: 5, 10, 20 neighbours × noise 0, .1, .3, 1 × clip 10, 20; without noise
# runs that repeat have no chains.
NEIGHBOURS, NOISE, CLIP = 10, 0.3, 20.0
TOGETHER = 32
"""Runs judged at once: their chains are that many tables of runs × 10 × 10."""


def chaining(distances: Floats, k: int) -> tuple[Floats, Ints]:
    """Of many sets of points (matrices of distances): the average chaining distance of every point, and the nearest
    neighbours of the last.

    The set-based path of a point visits its neighbours by their distance from it; each is tied to the nearest point
    that the path already has, and the earlier ties weigh more (Tang et al. 2002).
    """
    sets, points, _ = distances.shape
    itself = distances.copy()
    itself[:, np.arange(points), np.arange(points)] = -1.0  # a point is its own first, also among its equals
    path = np.argsort(itself, axis=2, kind="stable")[:, :, : k + 1]
    at = np.arange(sets)[:, None, None, None]
    ties = distances[at, path[:, :, 1:, None], path[:, :, None, :-1]]
    ties = np.where(np.tri(k, dtype=bool), ties, np.inf).min(axis=3)
    weights = 2.0 * (k - np.arange(k)) / (k * (k + 1))
    return ties @ weights, path[:, -1, 1:]


def factor(history: Floats, now: Floats) -> Floats:
    """The chaining distance of a run over that of its neighbours; each run is judged without the others."""
    known = jittered(history, NOISE)
    n, k = len(known), min(NEIGHBOURS, len(known) - 1)
    among = cdist(known, known)
    found = np.empty(len(now))
    for start in range(0, len(now), TOGETHER):
        to_known = cdist(now[start : start + TOGETHER], known)
        distances = np.zeros((len(to_known), n + 1, n + 1))
        distances[:, :n, :n] = among
        distances[:, n, :n] = distances[:, :n, n] = to_known
        chain, near = chaining(distances, k)
        found[start : start + TOGETHER] = chain[:, -1] * k / np.take_along_axis(chain, near, axis=1).sum(axis=1)
    return found


METHOD = Method(
    "cof",
    "COF",
    "time series",
    on_features(factor, CLIP),
    note="What pyod's COF gives for the last of past + one run, for many runs at once; the tests compare.",
)
