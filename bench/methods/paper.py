"""The method of the paper, as the learner `paper` implements it."""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method
from bench.methods.byhistory import alarms_with

from byhistory.profile.arrays import Bools, Floats

SWEEP = (0.3, 0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 1e-6, 1e-9)
"""Budgets that the curve is drawn from."""


def alarms(past: Past, now: Floats, budgets: tuple[float, ...]) -> Bools:
    """Stopped or not at each budget."""
    return alarms_with(past, now, budgets)[0]


def score(past: Past, now: Floats) -> Floats:
    """Minus the logarithm of the smallest budget of the sweep at which a run is stopped."""
    return np.where(alarms(past, now, SWEEP), -np.log10(SWEEP), 0.0).max(axis=1)


METHOD = Method("paper", "byhistory paper (AVH)", "byhistory", score, alarms=alarms, needs_responses=True)
