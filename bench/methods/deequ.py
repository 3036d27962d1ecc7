"""Amazon Deequ: does a metric break an anomaly strategy, or a run a constraint that would have been suggested?

A strategy gives for every metric (a column) of every run (a row) how many times Deequ's own bound it is away.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method
from bench.methods.features import CLIP, standardised

from byhistory.profile.arrays import Floats

LEAST = 1.0
"""Deviations: the scale of a metric that never moved; `standardised` puts any other value of it far away."""
_GRID = np.array(list(product((0.05, 0.2, 0.4, 0.7, 1.0), (0.0, 0.1, 0.4), (0.0, 0.1, 0.4, 0.8))))
"""Level, trend, season. Deequ searches by L-BFGS-B, which is too slow for a million series."""
_INVARIANTS = {
    "complete_ratio": 1.0,  # CompleteIfComplete
    "negative_ratio": 0.0,  # NonNegativeNumbers
    "integer_ratio": 1.0,  # RetainType
    "unique_ratio": 1.0,  # UniqueIfApproximatelyUnique
    "new_value_ratio": 0.0,  # CategoricalRange
}


def relative_rate_of_change(past: Past, now: Floats) -> Floats:
    """RelativeRateOfChange: twice or half the value of the run before is the bound."""
    with np.errstate(all="ignore"):
        rate = np.abs(np.log2(np.abs(now) / np.abs(past.series[:, -1])))
    return np.where(now == past.series[:, -1], 0.0, np.where(np.isnan(rate), 0.0, rate))


def absolute_change(past: Past, now: Floats) -> Floats:
    """AbsoluteChange: the largest step of the past is the bound."""
    history, runs = standardised(past, now)
    largest = np.abs(np.diff(history, axis=0)).max(axis=0)
    return np.asarray(np.abs(runs - history[-1]) / np.maximum(largest, LEAST))


def batch_normal(past: Past, now: Floats) -> Floats:
    """BatchNormal: three deviations from the mean of the past."""
    history, runs = standardised(past, now)
    return np.asarray(np.abs(runs - history.mean(axis=0)) / (3 * np.maximum(history.std(axis=0, ddof=1), LEAST)))


def online_normal(past: Past, now: Floats) -> Floats:
    """OnlineNormal: three deviations from the running mean, which leaves out what it found to be an anomaly."""
    history, runs = standardised(past, now)
    mean, squares = history[0], np.zeros(history.shape[1])
    skipped = 0.1 * (len(history) + 1)
    for i, value in enumerate(history[1:], start=1):
        next_mean, next_squares = _online(mean, squares, value, i)
        usual = np.abs(value - next_mean) <= 3 * np.sqrt(next_squares / (i + 1))
        kept = usual | (i < skipped)
        mean, squares = np.where(kept, next_mean, mean), np.where(kept, next_squares, squares)
    last_mean, last_squares = _online(mean, squares, runs, len(history))
    deviation = np.sqrt(last_squares / (len(history) + 1))
    return np.asarray(np.abs(runs - last_mean) / (3 * np.maximum(deviation, LEAST)))


def _online(mean: Floats, squares: Floats, value: Floats, at: int) -> tuple[Floats, Floats]:
    moved = mean + (value - mean) / (at + 1)
    return moved, squares + (value - mean) * (value - moved)


def holt_winters(past: Past, now: Floats) -> Floats:
    """HoltWinters: 1.96 deviations from the forecast; nothing to say unless daily or monthly, with two full cycles."""
    history, runs = standardised(past, now)
    _, seasons = past.on_calendar
    cycle = seasons[0] if seasons in ((7,), (12,)) else 0
    if not cycle or len(history) < 2 * cycle:
        return np.zeros(runs.shape)
    forecast, deviation = forecasts(history, cycle)
    return np.asarray(np.abs(runs - forecast) / (1.96 * np.maximum(deviation, LEAST)))


def forecasts(series: Floats, cycle: int, weights: Floats = _GRID) -> tuple[Floats, Floats]:
    """Of additive Holt–Winters, for each series (a column): the next value, and the deviation of the residuals' size.

    The weights of level, trend and season (a row) are those with the smallest squared residuals.
    """
    alpha, beta, gamma = (weights[:, i, None] for i in range(3))
    first = series[:cycle].mean(axis=0)
    level = np.broadcast_to(first, (len(weights), series.shape[1]))
    trend = np.broadcast_to((series[cycle : 2 * cycle].mean(axis=0) - first) / cycle, level.shape)
    seasons = [np.broadcast_to(value - first, level.shape) for value in series[:cycle]]
    residuals = []
    for i, value in enumerate(series):
        season = seasons[i]
        residuals.append(value - level - trend - season)
        next_level = alpha * (value - season) + (1 - alpha) * (level + trend)
        seasons.append(gamma * (value - level - trend) + (1 - gamma) * season)
        level, trend = next_level, beta * (next_level - level) + (1 - beta) * trend
    errors = np.array(residuals)
    best = np.square(errors).sum(axis=0).argmin(axis=0), np.arange(series.shape[1])
    return (level + trend + seasons[len(series)])[best], np.abs(errors).std(axis=0, ddof=1)[best]


def suggestions(past: Past, now: Floats) -> Floats:
    """Constraint suggestion: the share of rows that break what had held for all; 1 and up where any does."""
    found = np.zeros(now.shape)
    for metric, always in _INVARIANTS.items():
        at = past.row(metric)
        if at >= 0 and np.nanmax(np.abs(past.series[at] - always), initial=0.0) == 0.0:
            off = np.abs(now[:, at] - always)
            found[:, at] = np.where(off > 0, 1 + CLIP * off, 0.0)
    return found


Strategy = Callable[[Past, Floats], Floats]
ALL: tuple[Strategy, ...] = (
    relative_rate_of_change,
    absolute_change,
    batch_normal,
    online_normal,
    holt_winters,
    suggestions,
)


def scored_by(strategies: tuple[Strategy, ...], power: float) -> Callable[[Past, Floats], Floats]:
    """The most violated of some strategies, each over all metrics: their mean of that power, or the worst of them."""

    def score(past: Past, now: Floats) -> Floats:
        return np.max([_over_metrics(s(past, now), power) for s in strategies], axis=0)

    return score


def _over_metrics(violations: Floats, power: float) -> Floats:
    capped = np.minimum(violations, CLIP)
    if np.isinf(power):
        return np.asarray(capped.max(axis=1, initial=0.0))
    return np.asarray(np.power(np.power(capped, power).mean(axis=1), 1 / power))


# Tried: each strategy alone, all, three groups of them; metrics joined by the mean square, the mean fourth power, the
# worst. A metric that never moved and does makes the worst infinite, and a rate of change does so near 0.
METHOD = Method(
    "deequ",
    "Amazon Deequ",
    "commercial",
    scored_by((batch_normal, suggestions), 2.0),
    note="Its strategies and suggestions restated; metrics joined by mean square, where Deequ alarms at the first.",
)
