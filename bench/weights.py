"""How much should each metric count? From the training faults and good runs of the same columns.

A logistic regression tells faults from good runs by three terms for each metric, how far above its forecast, how far
below, and how rare that is; no weight is negative, so that a metric which is off never makes a run more usual. The
faults are the injected ones of `byhistory.inject`, which the learner knows; those of the evaluation
(`bench.cases.unseen`) have no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.fit import Replay, curves_of, surprises_of
from byhistory.learners.calibrated.prices import contributions, three_weights
from byhistory.metrics import PAIR
from byhistory.profile.arrays import Floats, Ints

FAULTS = 0.05
"""The part of the whole that faults weigh: little, so that what counts is where good runs are rare.

Of 0.3, 0.1 and 0.05 the best at one good table-run in a hundred (ADR 0009).
"""
SMALL = 0.0003
"""How much it costs to give weight; of 0.0003, 0.001 and 0.003 the best at one good run of a table in a hundred."""
LEAST = 0.03
"""What everything counts at least: no metric is blind, whatever the training faults say; it costs no recall."""
OTHER_SIDE = 0.5
"""A metric counts at least this part on one side of what it counts on the other, distances between runs aside.

Training faults go one way (they never fill a null in), life goes both. Of 0, 0.25, 0.5 and 1, half costs one point of
the faults of one column at one good run of a table in a hundred, and gains one of the columns that look like another.
"""
START, STEPS = 0.3, 60
"""The weight that the fit begins with, and its most steps (choices: it ends by itself before)."""
WAYS = np.eye(3)
"""How far above, how far below, how rare."""


def weights(good: Sequence[Replay], faults: Sequence[Replay]) -> dict[str, dict[str, tuple[float, float, float]]]:
    """By kind of column and metric, from good runs and faults at one length of history."""
    prices = curves_of(CALIBRATED, good)
    found = {}
    for of_good in good:
        of_faults = next(r for r in faults if r.kind == of_good.kind)
        terms = [_terms(r, surprises_of(r, prices)) for r in (of_good, _alike(of_faults, of_good.metrics))]
        shares = [(1.0 - FAULTS) * _shares(of_good.source), FAULTS * _shares(of_faults.source)]
        fitted = _fitted(np.vstack(terms), np.repeat([-1.0, 1.0], [len(t) for t in terms]), np.concatenate(shares))
        each = _on_both_sides(fitted.reshape(len(WAYS), -1).T, of_good.metrics).round(4).tolist()
        found[of_good.kind] = {m: three_weights(*of) for m, of in zip(of_good.metrics, each, strict=True)}
    return found


def _on_both_sides(each: Floats, metrics: Sequence[str]) -> Floats:
    """With neither side of a metric far below the other, where it has two: a distance has one."""
    sides = each[:, :2]
    least = np.where(np.isin(metrics, [m.name for m in PAIR]), 0.0, OTHER_SIDE * sides.max(axis=1))
    return np.hstack([np.maximum(sides, least[:, None]), each[:, 2:]])


def _alike(replay: Replay, metrics: tuple[str, ...]) -> Replay:
    """The same with these metrics, in their order."""
    places = [replay.metrics.index(m) if m in replay.metrics else -1 for m in metrics]
    there = np.array([p >= 0 for p in places])
    distances = np.where(there, replay.distances[:, places], np.nan)
    return replace(
        replay,
        metrics=metrics,
        distances=distances,
        is_constant=replay.is_constant[:, places] & there,
        is_leap=replay.is_leap[:, places] & there,
    )


def _terms(replay: Replay, surprises: Floats) -> Floats:
    """What each metric would add with a weight of 1 for each of the ways to count."""
    ways = (np.tile(way, (len(replay.metrics), 1)) for way in WAYS)
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
    bounds = [(LEAST, None)] * count + [(None, None)]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS})
    return np.asarray(found.x[:count])
