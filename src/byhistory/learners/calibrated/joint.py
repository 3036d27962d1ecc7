"""All metrics of a column judged jointly: many small surprises add up to a large one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from byhistory.learners.calibrated.curves import ABOVE, BELOW, Curves
from byhistory.learners.calibrated.forecast import Forecasts
from byhistory.learners.calibrated.leaps import added_by_leaps, leaping
from byhistory.learners.calibrated.prices import Limits, contributions
from byhistory.learners.program import USUAL, Expected
from byhistory.profile.arrays import Bools, Floats

_AT_ONCE = 256
"""Columns whose surprises are computed at once (a choice: more do not fit into a processor's cache)."""
_ALIKE = 1e-9
"""Values that differ by less, relative to their size, are the same (a choice): a scale and its reverse are not
exact."""
ROWS = "row_count"
"""The metric that is judged once per table. It is a whole number, so an interval between two whole numbers, such as
413.46 to 413.75, would make every run unusual."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The surprises and the contributions of one run, and the values (as bytes) that they were computed from."""

    values: bytes
    surprises: Floats
    contributions: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The forecast of every metric for the next run, and the price curves above and below it.

    The curves are those it was made with, so that it means the same when prices have changed.
    """

    metrics: tuple[str, ...]
    forecasts: Forecasts
    curves: Curves
    limits: Limits
    prices: str = ""
    """The name of the prices that the curves are from."""
    weights: Floats | None = None
    """The weights of each metric in the total of a run (one row per metric); None if the prices have no weights."""
    leap_ends: Floats | None = None
    """The interval of each metric (one row per metric) outside of which a run leaps; None if leaps do not count."""
    leap: float = 0.0
    """What a leap adds to the total of a run."""
    seen: Seen | None = None
    """The cached surprises of one run: a check needs them three times, and they are computed for all columns at
    once."""

    def contributions(self, values: Floats) -> Floats:
        """What each metric (the last axis) adds to the totals of runs with these values; 0 where undefined."""
        if self.seen is not None and self.seen.values == values.tobytes():
            return self.seen.contributions.reshape(values.shape)
        distances = self.forecasts.distances(values)
        added = contributions(self.curves.surprise(distances), distances, self.forecasts.is_constant, self.weights)
        return added + self.added_by_leaps(values)

    def added_by_leaps(self, values: Floats) -> Floats:
        """The part of the contributions that is for leaps, which stand for no distance."""
        if self.leap_ends is None:
            return np.zeros(values.shape)
        return added_by_leaps(leaping(self.leap_ends, values), self.leap)

    def surprises(self, values: Floats) -> Floats:
        """The surprise of each metric (the last axis) in runs with these values; 0 where undefined."""
        if self.seen is not None and self.seen.values == values.tobytes():
            return self.seen.surprises.reshape(values.shape)
        return self.curves.surprise(self.forecasts.distances(values))

    def without(self, metric: str) -> Joint:
        """The same without one metric. Totals only become smaller, so that the budget is kept."""
        if metric not in self.metrics:
            return self
        i = self.metrics.index(metric)
        metrics, curves = (*self.metrics[:i], *self.metrics[i + 1 :]), self.curves.without(i)
        weights, ends = (None if x is None else np.delete(x, i, axis=0) for x in (self.weights, self.leap_ends))
        return Joint(metrics, self.forecasts.without(i), curves, self.limits, self.prices, weights, ends, self.leap)

    def interval(self, i: int, surprise: float) -> tuple[float, float]:
        """The interval of values of metric i that are less surprising than this."""
        above, below = (self.curves.one(i, side).distance(surprise) for side in (ABOVE, BELOW))
        low, high = self.forecasts.end(i, -below), self.forecasts.end(i, above)
        least = 1.0 if self.forecasts.scale[i] == "ratio" else 0.0  # a share of 0 is only about 0 after its scale
        least = max(least, abs(self.forecasts.end(i, 0.0)))
        # one tolerance per end: an infinite end would make the other one infinite, too
        under, over = (_ALIKE * max(least, abs(end)) if np.isfinite(end) else 0.0 for end in (low, high))
        if self.metrics[i] == ROWS:
            low, high = np.floor(low + under), np.ceil(high - over)
        return float(low - under), float(high + over)

    def expected(self, metric: str, surprise: float = USUAL) -> Expected | None:
        """The forecast of one metric, and the interval of values that are less surprising than this; None if
        unknown.
        """
        i = self.metrics.index(metric) if metric in self.metrics else -1
        if i < 0 or not self.known[i]:
            return None
        return Expected(self.forecasts.end(i, 0.0), *self.interval(i, surprise), bool(self.forecasts.is_constant[i]))

    def rarity(self, total: Floats) -> Floats:
        """How often a good run has at least this total."""
        return self.limits.budget(np.zeros(np.shape(total)), total)

    @property
    def known(self) -> Bools:
        """Which metrics have a forecast."""
        return np.isfinite(self.forecasts.centre) & np.isfinite(self.forecasts.spread)


def having_seen(columns: Sequence[tuple[Joint, Floats]]) -> list[Joint]:
    """The models of many columns, each with the surprises of its values, which are computed for all at once."""
    found: dict[int, Joint] = {}
    for has_weights in (True, False):
        ours = [i for i, (joint, _) in enumerate(columns) if (joint.weights is not None) == has_weights]
        for start in range(0, len(ours), _AT_ONCE):
            some = ours[start : start + _AT_ONCE]
            found |= zip(some, _read_at_once([columns[i] for i in some]), strict=True)
    return [found[i] for i in range(len(columns))]


def _read_at_once(columns: Sequence[tuple[Joint, Floats]]) -> list[Joint]:
    """All metrics of all columns as if they were of one: the surprise of a metric depends on no other."""
    joints = [joint for joint, _ in columns]
    forecasts = Forecasts.joined([joint.forecasts for joint in joints])
    weights = [joint.weights for joint in joints if joint.weights is not None]
    distances = forecasts.distances(np.concatenate([values for _, values in columns]))
    surprises = Curves.joined([joint.curves for joint in joints]).surprise(distances)
    of_all = np.concatenate(weights) if weights else None
    added = contributions(surprises, distances, forecasts.is_constant, of_all)
    ends = np.cumsum([len(joint.metrics) for joint in joints])[:-1]
    parts = zip(columns, np.split(surprises, ends), np.split(added, ends), strict=True)
    return [
        replace(joint, seen=Seen(values.tobytes(), surprise, of_one + joint.added_by_leaps(values)))
        for (joint, values), surprise, of_one in parts
    ]
