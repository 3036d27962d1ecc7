"""Health-ESN: how badly does an echo state network, trained on the past, foresee a run?"""

from __future__ import annotations

from functools import cache

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats

# Tried, not each with each: 20, 50, 100 units × leak .5, 1 × strength of the inputs .1, .3 × ridge 10, 100, 1000 ×
# clip 10, 20.
UNITS, RADIUS, LEAK, INPUT, RIDGE, CLIP = 50, 0.9, 0.5, 0.3, 100.0, 10.0


@cache
def reservoir(
    inputs: int, units: int = UNITS, radius: float = RADIUS, strength: float = INPUT
) -> tuple[Floats, Floats]:
    """Fixed random weights: of the units among themselves, scaled to that spectral radius, and of the inputs."""
    rng = np.random.default_rng(0)
    inner = np.where(rng.random((units, units)) < 0.2, rng.uniform(-1, 1, (units, units)), 0.0)
    inner *= radius / np.abs(np.linalg.eigvals(inner)).max()
    return inner, rng.uniform(-strength, strength, (units, inputs + 1))


def echoes(series: Floats, weights: tuple[Floats, Floats], leak: float = LEAK) -> Floats:
    """The state of the network after each row of a series, with the row itself and a constant beside it (Jaeger)."""
    inner, entry = weights
    state = np.zeros(len(inner))
    driven = series @ entry[:, 1:].T + entry[:, 0]
    states = np.empty((len(series), len(inner)))
    for i, drive in enumerate(driven):
        state = (1 - leak) * state + leak * np.tanh(inner @ state + drive)
        states[i] = state
    return np.hstack([states, series, np.ones((len(series), 1))])


def readout(states: Floats, targets: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Weights of the linear readout, and the errors on what it was trained on, each as if it had been left out."""
    gram = states @ states.T + ridge * np.eye(len(states))
    inverse = np.linalg.inv(gram)
    dual = inverse @ targets
    return states.T @ dual, dual / np.diag(inverse)[:, None]


def error(history: Floats, now: Floats) -> Floats:
    """Error of the forecast in units of the usual error of each metric, over all metrics."""
    states = echoes(np.tanh(history / 3), reservoir(history.shape[1]))
    weights, left_out = readout(states[:-1], history[1:], RIDGE)
    usual = np.sqrt(np.square(left_out).mean(axis=0))
    away = (now - states[-1] @ weights) / np.maximum(usual, 1.0)
    return np.asarray(np.sqrt(np.square(away).mean(axis=1)))


METHOD = Method(
    "health_esn",
    "Health-ESN",
    "time series",
    on_features(error, CLIP),
    note="An echo state network in numpy; the threshold, information-theoretic in the original, is swept.",
)
