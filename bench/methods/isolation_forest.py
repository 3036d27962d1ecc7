"""Isolation Forest: how few random cuts set a run apart from the past?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

# Tried, on a part of the columns: 25 and 50 trees, one, a third or all of the metrics per tree, 16 or all runs.
TREES = 50


def isolation(history: Floats, now: Floats) -> Floats:
    """0.5 is a run like the others, 1 one that a single cut sets apart."""
    from sklearn.ensemble import IsolationForest

    model = IsolationForest(n_estimators=TREES, max_samples=1.0, random_state=0).fit(history)
    return np.asarray(-model.score_samples(now))


METHOD = Method(
    "isolation_forest", "Isolation Forest", "anomaly detection", on_features(isolation), package="sklearn", is_slow=True
)
