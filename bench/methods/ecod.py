"""ECOD: how far in the tails of its metrics is a run?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features
from scipy.stats import skew

from byhistory.profile.arrays import Floats


def tails(history: Floats, now: Floats) -> Floats:
    """Mean of −log of the empirical tail probability, of the rarer tail or of the longer one, over the metrics.

    The run to judge is one of the sample, so that no probability is 0; each is judged without the others.
    """
    runs = len(history) + 1
    below = (history[None] <= now[:, None]).sum(axis=1) + 1
    above = (history[None] >= now[:, None]).sum(axis=1) + 1
    left, right = -np.log(below / runs), -np.log(above / runs)
    with np.errstate(all="ignore"):
        all_runs = np.concatenate([np.broadcast_to(history, (len(now), *history.shape)), now[:, None]], axis=1)
        # A constant leans to neither side; pyod's nan there would poison the sum.
        lean = np.where(np.ptp(all_runs, axis=1) > 0, np.sign(skew(all_runs, axis=1)), 0.0)
    longer = -left * np.sign(lean - 1) + right * np.sign(lean + 1)
    return np.asarray(np.maximum(np.maximum(left, right), longer).mean(axis=1))


METHOD = Method(
    "ecod",
    "ECOD",
    "anomaly detection",
    on_features(tails),
    note="What pyod's ECOD computes for one new run, over the number of metrics; the tests compare.",
)
