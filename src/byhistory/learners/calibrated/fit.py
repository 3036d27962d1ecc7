"""Prices from measured distances: how often were good runs that far from their forecast?"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from byhistory.constraints.judge import BROKEN, decide
from byhistory.learners.calibrated.curve import PriceCurve
from byhistory.learners.calibrated.leaps import added_by_leaps
from byhistory.learners.calibrated.prices import ANY, SIZED_FROM, Limits, Prices, contributions
from byhistory.learners.calibrated.table import MeasuredRate
from byhistory.profile.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    from byhistory.learners.calibrated.learner import Calibrated

BUDGETS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0001)
"""The budgets at which limits are measured, by choice: three per power of ten, as far as 100,000 runs can tell."""
FOLDS = 5
"""Parts of the sources, each priced by the others (a choice: usual in cross-validation)."""
POOLED_FROM = 100
"""Good runs that are needed for a curve of all metrics without one of their own (a choice: enough to tell 1 %)."""
TAIL = 0.03
"""The share of the cases, from the largest, that the power law is fitted to (a choice, not measured)."""
_USUAL_SLOWNESS, _WORTH = 0.5, 10
"""The slowness that is assumed of a tail before any case is seen, and how many cases this assumption is worth.

Both are choices: 0.5 is that of Chebyshev's inequality, by which a width of w is exceeded once in w² times.
"""
_SURE, _CAUTION = 0.01, 0.35
"""Below the first budget there are few cases to go by, so that only a part of a budget is spent: (budget / the first)
to the power of the second. Both are choices; their effect is measured."""
_COUNTABLE, _OVERLAP = 10.0, 0.6
"""If fewer runs than the first may be stopped, each of the two limits gets the second as its share of them: more than a
half, because some runs are stopped by both. Both are choices; their effect is measured."""
_SINGLES = 0.2
"""How many good runs single clauses may stop for each one that the joint clause stops.

With 1, single clauses cost up to two points of recall at a measured 1 %, and eight at 0.1 % (ADR 0009).
"""
_DRAWS = 400
"""How often the bootstrap draws the sources (a choice: ten draws lie beyond each end of a 95 % interval)."""
_KNOTS = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
"""The rates at which price curves have knots, by choice: two or three per power of ten."""


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """How far good runs of one kind of column were off at one length of history: one row per run, one column per
    metric.

    `distances` is nan where a metric is undefined or not measured on that column. `source` is a number for the source
    of the table, because tables of one source are not independent.
    """

    kind: str
    history: int
    metrics: tuple[str, ...]
    distances: Floats
    is_constant: Bools
    source: Ints
    is_leap: Bools
    """Which metrics leave their whole past behind."""

    def of(self, runs: Bools) -> Replay:
        """The same for some of the runs."""
        return replace(
            self,
            distances=self.distances[runs],
            is_constant=self.is_constant[runs],
            source=self.source[runs],
            is_leap=self.is_leap[runs],
        )


def fit(learner: Calibrated, replays: Sequence[Replay], made: Mapping[str, Any], *, has_doubt: bool = True) -> Prices:
    """Prices for a learner from replays with its forecasts; `made` tells people how the prices were made.

    Curves are pooled over all cases, where a source counts with the root of its number of cases. The limits of whole
    programs are found with curves from other sources, and for `safety` times the budget, because rates elsewhere will
    differ from those that were measured.
    """
    curves: dict[tuple[str, str, int, bool, int], PriceCurve] = {}
    limits: dict[tuple[str, int], Limits] = {}
    for replay in replays:
        weights = _weights(replay.source)
        everything = np.ones(len(weights), np.bool_)
        curves |= _curves(replay, weights, everything, learner.own_curve_from, has_doubt)
        alone, joint = largest_and_joined(learner, replay, _crossed(learner, replay, weights))
        found = _limits(alone, joint, learner.safety)
        limits[replay.kind, replay.history] = _measured(found, alone, joint, replay.source)
    histories = tuple(sorted({r.history for r in replays}))
    known = learner.price_list
    return Prices(curves, limits, histories, made, weights=known.weights, tables=known.tables, leap=known.leap)


def stopped(learner: Calibrated, replay: Replay, prices: Prices, budget: float) -> Bools:
    """Which of the runs would have been stopped at these prices."""
    alone, joint = largest_and_joined(learner, replay, surprises_of(replay, prices))
    single_limit, joint_limit = prices.limit(replay.kind, replay.history).at(budget)
    return _beyond(alone, joint, single_limit, joint_limit)


def _beyond(alone: Floats, joint: Floats, single_limit: float, joint_limit: float) -> Bools:
    """Which runs a single clause or the joint clause stops at these limits."""
    limits = np.array([[single_limit], [joint_limit]])
    return np.asarray((decide(-np.inf, limits, np.stack([alone, joint])) == BROKEN).any(axis=0))


def largest_and_joined(learner: Calibrated, replay: Replay, found: Floats) -> tuple[Floats, Floats]:
    """The largest surprise among single clauses, and the total surprise of all metrics, for every run."""
    chosen = [i for i, name in enumerate(replay.metrics) if name in learner.singles[replay.kind]]
    weights = weights_for(learner, replay)
    added = contributions(found, replay.distances, replay.is_constant, weights)
    added += added_by_leaps(replay.is_leap, learner.price_list.leap)
    return found[:, chosen].max(axis=1, initial=0.0), learner.joined(added)


def weights_for(learner: Calibrated, replay: Replay) -> Floats | None:
    """The weights of the metrics of a replay, from the learner's own prices: finding weights needs faults."""
    return learner.price_list.weights_of(replay.kind, replay.metrics)


def folds_of(source: Ints) -> Ints:
    """The fold of each case; folds keep sources whole and have about equally many cases."""
    names, counts = np.unique(source, return_counts=True)
    load, fold = np.zeros(FOLDS), {}
    for i in np.lexsort((names, -counts)):
        fold[int(names[i])] = int(np.argmin(load))
        load[fold[int(names[i])]] += counts[i]
    return np.array([fold[int(s)] for s in source], np.int64)


def source_number(name: str) -> int:
    """A number that stands for the name of a source."""
    return zlib.crc32(name.encode())


def _weights(source: Ints) -> Floats:
    _, at, counts = np.unique(source, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / np.sqrt(counts[at]))


def _crossed(learner: Calibrated, replay: Replay, weights: Floats) -> Floats:
    """The surprises of all cases, each by curves of the other folds."""
    fold = folds_of(replay.source)
    out = np.zeros(replay.distances.shape)
    for k in range(FOLDS):
        there = fold == k
        curves = _curves(replay, weights, ~there, learner.own_curve_from)
        out[there] = surprises_of(replay.of(there), Prices(curves, {}, (replay.history,)))
    return out


def surprises_of(replay: Replay, prices: Prices) -> Floats:
    """The surprise of every metric (one column each) in every run (one row each) at these prices."""
    out = np.zeros(replay.distances.shape)
    for is_constant in (False, True):
        sides = prices.sides(replay.kind, replay.metrics, replay.history, np.full(len(replay.metrics), is_constant))
        out = np.where(replay.is_constant == is_constant, sides.surprise(replay.distances), out)
    return out


def curves_of(learner: Calibrated, replays: Sequence[Replay]) -> Prices:
    """Prices with curves but without limits: enough to tell how surprising each metric is."""
    curves: dict[tuple[str, str, int, bool, int], PriceCurve] = {}
    for replay in replays:
        weights = _weights(replay.source)
        curves |= _curves(replay, weights, np.ones(len(weights), np.bool_), learner.own_curve_from)
    return Prices(curves, {}, tuple(sorted({r.history for r in replays})))


def _curves(
    replay: Replay, weights: Floats, use: Bools, enough: int, has_doubt: bool = False
) -> dict[tuple[str, str, int, bool, int], PriceCurve]:
    found = {}
    for is_constant in (False, True):
        pooled: dict[int, list[tuple[Floats, Floats, Ints]]] = {1: [], -1: []}
        for i, metric in enumerate(replay.metrics):
            distances = replay.distances[:, i]
            here = use & (replay.is_constant[:, i] == is_constant) & np.isfinite(distances)
            for side in (1, -1):
                pooled[side].append((side * distances[here], weights[here], replay.source[here]))
                if here.sum() >= enough:
                    found[replay.kind, metric, replay.history, is_constant, side] = _priced(
                        *pooled[side][-1], has_doubt
                    )
        for side, parts in pooled.items():
            distances, weight, source = (np.concatenate(column) for column in zip(*parts, strict=True))
            if len(distances) >= POOLED_FROM:
                found[replay.kind, ANY, replay.history, is_constant, side] = _priced(
                    distances, weight, source, has_doubt
                )
    return found


def _priced(distances: Floats, weight: Floats, source: Ints, has_doubt: bool) -> PriceCurve:
    curve = _curve(distances, weight)
    if not has_doubt:
        return curve
    ((low, middle, high),) = over_sources((distances > curve.distance_at[-1] * (1 - 1e-4))[:, None], weight, source)
    least = 0.5 / len(distances)
    doubt = max(np.log10(max(high, least) / max(middle, least)), np.log10(max(middle, least) / max(low, least)))
    return replace(curve, doubt=round(float(doubt), 2))


def over_sources(hit: Bools, weight: Floats, source: Ints) -> list[MeasuredRate]:
    """For each column of `hit`, the weighted share of cases that it is true of, with a 95 % bootstrap over sources."""
    _, at = np.unique(source, return_inverse=True)
    count = int(at.max()) + 1
    total = np.bincount(at, weight)
    hits = np.stack([np.bincount(at, weight * column, count) for column in hit.T], axis=1)
    drawn = np.random.default_rng(0).multinomial(count, np.full(count, 1.0 / count), _DRAWS)  # noqa: TID251 - a seed
    low, high = np.quantile((drawn @ hits) / (drawn @ total)[:, None], (0.025, 0.975), axis=0)
    return [(float(a), float(b), float(c)) for a, b, c in zip(low, hits.sum(axis=0) / total.sum(), high, strict=True)]


def _measured(limits: Limits, alone: Floats, joint: Floats, source: Ints) -> Limits:
    """The limits with the shares of good runs that they stop; no upper end is below what so few runs can tell."""
    pairs = zip(limits.single, limits.joint, strict=True)
    hit = np.stack([_beyond(alone, joint, single, all_) for single, all_ in pairs], axis=1)
    least = 3.0 / len(alone)
    rates = over_sources(hit, np.ones(len(alone)), source)
    rounded = tuple((_short(low), _short(middle), _short(max(high, least))) for low, middle, high in rates)
    return replace(limits, measured=rounded)


def _short(share: float) -> float:
    return float(f"{share:.3g}")


def _curve(distances: Floats, weight: Floats) -> PriceCurve:
    """The price curve of distances above 0; negative distances are on the other side, and count as not off."""
    off = distances > 1e-9
    share = (weight[off].sum() / weight.sum() * len(distances) + 0.5) / (len(distances) + 1)
    base = float(-np.log10(share))
    if off.sum() < SIZED_FROM:
        return PriceCurve((1e-9, 1.0), (base, base + 1e-6), 10.0, int(off.sum()))
    order = np.argsort(distances[off])
    x, w = distances[off][order], weight[off][order]
    total = w.sum()
    several = total**2 / (w**2).sum()  # the effective number of cases
    left = ((total - np.cumsum(w) + w) / total * several + 0.5) / (several + 1)
    beyond = min(max(30, int(TAIL * len(x))), max(2, len(x) // 3))
    start = x[-beyond]
    rise = float((w[-beyond:] * np.log(x[-beyond:] / start)).sum() / w[-beyond:].sum())
    rise = (rise * beyond + _USUAL_SLOWNESS * _WORTH) / (beyond + _WORTH)
    knots = [k for k in _KNOTS if k > left[-beyond]]
    at = [float(np.interp(-k, -left, x)) for k in knots] + [float(start)]
    surprise = [base - np.log10(k) for k in knots] + [base - float(np.log10(left[-beyond]))]
    return PriceCurve(*_rising(at, surprise), round(max(rise, 0.1), 4), int(off.sum()))


def _rising(at: list[float], surprise: list[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    kept: list[tuple[float, float]] = []
    for x, y in zip(at, surprise, strict=True):
        if not kept or x > kept[-1][0] * (1 + 1e-6):
            kept.append((float(f"{x:.5g}"), round(float(y), 4)))
        else:
            kept[-1] = (kept[-1][0], round(float(y), 4))
    return tuple(x for x, _ in kept), tuple(y for _, y in kept)


def _limits(alone: Floats, joint: Floats, safety: float) -> Limits:
    """For every budget, limits that together stop that share of good runs, most of them by the joint clause."""
    single_at, joint_at = _tail(alone), _tail(joint)
    singles, joints = [], []
    for budget in BUDGETS:
        spent = budget * safety * min(1.0, (budget / _SURE) ** _CAUTION)
        each, high = spent / (1.0 + _SINGLES), spent
        if len(alone) * spent < _COUNTABLE:
            each = spent * _OVERLAP * 2.0 / (1.0 + _SINGLES)
        else:
            for _ in range(40):
                middle = (each * high) ** 0.5
                stopped = float(np.mean(_beyond(alone, joint, single_at(_SINGLES * middle), joint_at(middle))))
                each, high = (each, middle) if stopped > spent else (middle, high)
        singles.append(round(single_at(_SINGLES * each), 4))
        joints.append(round(joint_at(each), 4))
    return Limits(BUDGETS, _monotone(singles), _monotone(joints), len(alone))


def _tail(values: Floats) -> Callable[[float], float]:
    """From a share of the cases to the value that they exceed; among the last thirty, linear in the share's
    logarithm.
    """
    ordered = np.sort(values)[::-1]
    n = len(ordered)
    start = min(30, max(1, n // 4))
    step = float(np.mean(ordered[:start] - ordered[start])) if n > start else 1.0

    def above(share: float) -> float:
        rank = share * n
        if rank >= start:
            return float(ordered[min(n - 1, int(rank))])
        return float(ordered[start] + max(step, 1e-3) * np.log(start / rank))

    return above


def _monotone(values: list[float]) -> tuple[float, ...]:
    out = np.maximum.accumulate(np.array(values)) + 1e-6 * np.arange(len(values))
    return tuple(float(v) for v in np.round(out, 6))
