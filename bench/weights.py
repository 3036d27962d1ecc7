"""How much should each metric count? From the training faults and good runs of the same columns.

A logistic regression tells faults from good runs by two terms for each metric, how far off and how rare that is; no
weight is negative, so that a metric which is off never makes a run more usual. The faults are the injected ones of
`byhistory.inject`, which the learner knows; those of the evaluation (`bench.cases.unseen`) have no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.fit import Replay, curves_of, surprises_of
from byhistory.learners.calibrated.prices import contributions
from byhistory.profile.arrays import Floats, Ints

FAULTS = 0.05
"""The part of the whole that faults weigh: little, so that what counts is where good runs are rare.

Of 0.3, 0.1 and 0.05 the best at one good table-run in a hundred (ADR 0009).
"""
SMALL = 0.003
"""How much it costs to give weight; of 0.001, 0.003 and 0.01 in the middle, and all within a point."""
START, STEPS = 0.3, 60


def weights(good: Sequence[Replay], faults: Sequence[Replay]) -> dict[str, dict[str, tuple[float, float]]]:
    """By kind of column and metric, from good runs and faults at one length of history."""
    prices = curves_of(CALIBRATED, good)
    found = {}
    for of_good in good:
        of_faults = next(r for r in faults if r.kind == of_good.kind)
        terms = [_terms(r, surprises_of(r, prices)) for r in (of_good, _alike(of_faults, of_good.metrics))]
        shares = [(1.0 - FAULTS) * _shares(of_good.source), FAULTS * _shares(of_faults.source)]
        fitted = _fitted(np.vstack(terms), np.repeat([-1.0, 1.0], [len(t) for t in terms]), np.concatenate(shares))
        pairs = fitted.reshape(2, -1).T.round(4)
        found[of_good.kind] = {m: (float(a), float(b)) for m, (a, b) in zip(of_good.metrics, pairs, strict=True)}
    return found


def _alike(replay: Replay, metrics: tuple[str, ...]) -> Replay:
    """The same with these metrics, in their order."""
    places = [replay.metrics.index(m) if m in replay.metrics else -1 for m in metrics]
    there = np.array([p >= 0 for p in places])
    distances = np.where(there, replay.distances[:, places], np.nan)
    return Replay(replay.kind, replay.history, metrics, distances, replay.is_constant[:, places] & there, replay.source)


def _terms(replay: Replay, surprises: Floats) -> Floats:
    """What each metric would add with a weight of 1: of how far, then of how rare."""
    one = np.ones(len(replay.metrics))
    ways = (np.column_stack([one, 0 * one]), np.column_stack([0 * one, one]))
    return np.hstack([contributions(surprises, replay.distances, replay.is_constant, way) for way in ways])


def _shares(source: Ints) -> Floats:
    _, at, counts = np.unique(source, return_inverse=True, return_counts=True)
    each = 1.0 / np.sqrt(counts[at])
    return np.asarray(each / each.sum())


def _fitted(terms: Floats, sign: Floats, share: Floats) -> Floats:
    count = terms.shape[1]

    def loss(p: Floats) -> tuple[float, Floats]:
        margin = (terms @ p[:count] + p[count]) * sign
        slope = -sign * share / (1.0 + np.exp(np.clip(margin, -50.0, 50.0)))
        cost = float((share * np.logaddexp(0.0, -margin)).sum() + SMALL * (p[:count] ** 2).sum())
        return cost, np.append(terms.T @ slope + 2.0 * SMALL * p[:count], slope.sum())

    start = np.append(np.full(count, START), -3.0)
    bounds = [(0.0, None)] * count + [(None, None)]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS})
    return np.asarray(found.x[:count])
