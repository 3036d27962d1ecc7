"""LSTM-AD: how unlike its usual errors is the error of an LSTM's forecast?"""

from __future__ import annotations

import numpy as np
from bench.methods._lstm import foresee
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

SHRUNK = 0.8  # Tried: .2, .5, .8, 1, on a tenth of the columns.
"""How far the covariance of the errors is drawn to the identity: 25 errors do not tell one of 35 metrics."""


def unlikely(history: Floats, now: Floats) -> Floats:
    """Mahalanobis distance of the error from those of the past, per metric (Malhotra et al. 2015)."""
    errors, foreseen = foresee(history, layers=2)
    metrics = history.shape[1]
    covariance = (1 - SHRUNK) * np.atleast_2d(np.cov(errors.T)) + SHRUNK * np.eye(metrics)
    away = now - foreseen - errors.mean(axis=0)
    distances = np.einsum("ri,ij,rj->r", away, np.linalg.inv(covariance), away)
    return np.asarray(np.sqrt(distances / metrics))


METHOD = Method(
    "lstm_ad",
    "LSTM-AD",
    "time series",
    on_features(unlikely),
    note="As pyod's LSTMAD, with a covariance that 30 runs can bear; that one's window needs a longer past.",
    package="torch",
    is_slow=True,
)
