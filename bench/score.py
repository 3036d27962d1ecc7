"""How often is a good run stopped, and how often a bad one? Pure functions of scores.

A method alarms where its score is strictly above a threshold; a score that is nan never alarms. The rate of false
alarms is that of all good runs together (micro), with the exact interval of Clopper and Pearson; as columns of one
source are not independent of one another, a second interval draws sources anew (bootstrap). "Precision" is the paper's:
a mean over columns of TP / (TP + FP), for those that had an alarm at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from byhistory.profile.arrays import Bools, Floats, Ints

RATES = (0.001, 0.01, 0.05)
"""Measured rates of false alarms at which all methods are compared."""
BUDGETS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1)
"""Those of the paper's figures, and some between."""
SWEEP = (0.0, *np.round(np.logspace(-4, 0, 41), 6).tolist())
"""Rates of false alarms at which a method's whole curve is drawn."""
RESAMPLES, LEVEL = 200, 0.95
"""Draws of the bootstrap over sources, by choice, and the level of intervals."""


@dataclass(frozen=True)
class Rate:
    """A share of some runs with an interval."""

    of: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Quality:
    """Precision and recall over all runs together (micro) and as a mean over columns (macro)."""

    precision_macro: float
    precision_micro: float
    recall_macro: float
    recall_micro: float

    @property
    def f1(self) -> float:
        """The paper's: of its two means over columns."""
        total = self.precision_macro + self.recall_macro
        return 2 * self.precision_macro * self.recall_macro / total if total > 0 else 0.0


def clopper_pearson(alarms: int, runs: int, level: float = LEVEL) -> Rate:
    """A share with its exact interval; undefined of no runs.

    >>> rate = clopper_pearson(0, 100)
    >>> rate.share, rate.low, round(rate.high, 4)
    (0.0, 0.0, 0.0362)
    """
    if not runs:
        return Rate(0, np.nan, np.nan, np.nan)
    low, high = binomtest(alarms, runs).proportion_ci(level, method="exact")
    return Rate(runs, alarms / runs, float(low), float(high))


def alarms_above(scores: Floats, threshold: float) -> Bools:
    """Which runs are stopped."""
    return np.asarray(np.nan_to_num(scores, nan=-np.inf, posinf=np.inf, neginf=-np.inf) > threshold)


def threshold_at(good: Floats, rate: float) -> float:
    """The smallest threshold at which at most this share of the good runs is stopped.

    Where many good runs have the same score, all of them are stopped or none: a method that cannot tell them apart pays
    for it with a lower rate than it was allowed.

    >>> threshold_at(np.array([1.0, 2.0, 3.0, 4.0]), 0.25), threshold_at(np.array([1.0, 4.0, 4.0, 4.0]), 0.5)
    (3.0, 4.0)
    """
    return float(thresholds_at(good, np.zeros(len(good), np.int64), rate, np.ones((1, 1)))[0])


def thresholds_at(good: Floats, source: Ints, rate: float, weights: Floats) -> Floats:
    """The same when the runs of a source (a column of `weights`) count this many times; one per row."""
    known = np.nan_to_num(good, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    order = np.argsort(-known, kind="stable")
    total = np.cumsum(weights[:, source[order]], axis=1)
    if not len(order):
        return np.full(len(weights), np.inf)
    above = total > rate * total[:, -1:] * (1 + 1e-12)  # 0.1 × 30 is a little more than 3 in floating point
    first = np.where(above.any(axis=1), above.argmax(axis=1), len(order) - 1)
    return np.where(above.any(axis=1), known[order][first], -np.inf)


def resamples(sources: int, times: int, seed: int) -> Floats:
    """How often each source was drawn, one row per draw."""
    random = np.random.default_rng(seed)
    return random.multinomial(sources, np.full(sources, 1.0 / max(1, sources)), times).astype(float)


def interval(values: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The middle of some resamples; undefined if none of them is defined."""
    known = values[np.isfinite(values)]
    if not len(known):
        return np.nan, np.nan
    rest = (1.0 - level) / 2.0
    return float(np.quantile(known, rest)), float(np.quantile(known, 1.0 - rest))


def share_by_source(alarms: Bools, source: Ints, weights: Floats) -> Rate:
    """The share of runs that are stopped, with an interval over sources."""
    if not len(alarms):
        return Rate(0, np.nan, np.nan, np.nan)
    runs = np.bincount(source, minlength=weights.shape[1])
    caught = np.bincount(source, weights=alarms, minlength=weights.shape[1])
    with np.errstate(invalid="ignore"):
        low, high = interval((weights @ caught) / (weights @ runs))
    return Rate(len(alarms), float(alarms.mean()), low, high)


def recall_at(
    good: Floats, good_source: Ints, bad: Floats, bad_source: Ints, *, rate: float, weights: Floats
) -> tuple[Rate, float]:
    """The share of bad runs that are stopped where this many good ones are, and the threshold for it.

    Its interval draws sources anew and takes the threshold from those that were drawn, as on other tables.
    """
    threshold = threshold_at(good, rate)
    caught = alarms_above(bad, threshold)
    if not len(bad):
        return Rate(0, np.nan, np.nan, np.nan), threshold
    again = thresholds_at(good, good_source, rate, weights)
    sources = weights.shape[1]
    runs = np.bincount(bad_source, minlength=sources)
    drawn = np.full(len(weights), np.nan)
    for i, (line, at) in enumerate(zip(weights, again, strict=True)):
        if line @ runs > 0:
            hits = np.bincount(bad_source, weights=alarms_above(bad, at), minlength=sources)
            drawn[i] = (line @ hits) / (line @ runs)
    low, high = interval(drawn)
    return Rate(len(bad), float(caught.mean()), low, high), threshold


def quality(good: Bools, good_column: Ints, bad: Bools, bad_column: Ints, columns: int) -> Quality:
    """Precision and recall from alarms on good and on bad runs; a precision without any alarm is undefined."""
    false = np.bincount(good_column, weights=good, minlength=columns)
    true = np.bincount(bad_column, weights=bad, minlength=columns)
    asked = np.bincount(bad_column, minlength=columns)
    stopped, judged = true + false > 0, asked > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = true / (true + false), true / asked
    return Quality(
        float(precision[stopped].mean()) if stopped.any() else np.nan,
        float(true.sum() / (true.sum() + false.sum())) if stopped.any() else np.nan,
        float(recall[judged].mean()) if judged.any() else np.nan,
        float(bad.mean()) if len(bad) else np.nan,
    )


def by_label(alarms: Bools, labels: Sequence[str]) -> dict[str, tuple[float, int]]:
    """The share that is stopped and how many there are, for each name, type or domain.

    >>> by_label(np.array([True, False, True]), ["a", "a", "b"])
    {'a': (0.5, 2), 'b': (1.0, 1)}
    """
    if not len(alarms):
        return {}
    names, at = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    runs, caught = np.bincount(at), np.bincount(at, weights=alarms)
    return {str(name): (float(c / n), int(n)) for name, c, n in zip(names, caught, runs, strict=True)}


def any_of(alarms: Bools, groups: Ints) -> tuple[Ints, Bools]:
    """The groups there are, and whether anything in each was stopped: a run of a table is, if one of its columns is.

    >>> any_of(np.array([False, True, False]), np.array([4, 4, 7]))[1].tolist()
    [True, False]
    """
    names, at = np.unique(groups, return_inverse=True)
    return names, np.bincount(at, weights=alarms, minlength=len(names)) > 0
