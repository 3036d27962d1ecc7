"""Denial constraints: which orders between metrics, and between runs, have always held and no longer do?"""

from __future__ import annotations

import numpy as np
from bench.methods.base import Method
from bench.methods.features import on_features

from byhistory.profile.arrays import Floats


def held(history: Floats) -> tuple[Floats, Floats]:
    """For two metrics, and for a metric and time: the share of the pairs of runs that they order the same way (or the
    opposite way), where none is ordered otherwise; 0 where the constraint does not hold or was never put to a test.

    not (a.x < b.x and a.y > b.y), and not (a.x < b.x and a.y < b.y), for all runs a and b.
    """
    earlier, later = np.triu_indices(len(history), 1)
    up, down = _ordered(history[later] - history[earlier])
    same, opposite = up.T @ up + down.T @ down, up.T @ down + down.T @ up
    pairs = len(earlier)
    return np.where(opposite == 0, same / pairs, 0.0), np.where(same == 0, opposite / pairs, 0.0)


def broken(history: Floats, now: Floats) -> Floats:
    """The share of the evidence for the constraints that is for broken ones; that a metric never moved is one of them.

    (Tried: the evidence itself, and metrics clipped at 10.)
    """
    same, opposite = held(history)
    up, down = _ordered(now[:, None] - history[None])
    found_same = up.transpose(0, 2, 1) @ up + down.transpose(0, 2, 1) @ down
    found_opposite = up.transpose(0, 2, 1) @ down + down.transpose(0, 2, 1) @ up
    among = np.triu(np.ones(same.shape), 1)
    orders = (same * (found_opposite > 0) + opposite * (found_same > 0)) * among
    still = np.ptp(history, axis=0) == 0
    moved = (still & (now != history[-1])).sum(axis=1)
    evidence = ((same + opposite) * among).sum() + still.sum()
    return np.asarray((orders.sum(axis=(1, 2)) + moved) / max(float(evidence), 1.0))


def _ordered(difference: Floats) -> tuple[Floats, Floats]:
    """Which metrics went up and which went down; time, the last one, always goes up."""
    time = np.ones((*difference.shape[:-1], 1))
    difference = np.concatenate([difference, time], axis=-1)
    return (difference > 0).astype(float), (difference < 0).astype(float)


METHOD = Method(
    "denial_constraints",
    "Denial constraints",
    "constraint",
    on_features(broken),
    note="Order predicates of one and two metrics over pairs of runs, found and weighed by coverage (Chu et al. 2013).",
)
