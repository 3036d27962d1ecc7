"""All metrics of a column judged together: many small surprises are one large one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from byhistory.learners.calibrated.curves import ABOVE, BELOW, Curves
from byhistory.learners.calibrated.forecast import Forecasts
from byhistory.learners.calibrated.prices import Limits, contributions
from byhistory.learners.program import USUAL, Expected
from byhistory.profile.arrays import Bools, Floats

_AT_ONCE = 256
"""Columns that are read at once: more do not fit into the caches of a processor."""
_ALIKE = 1e-9
"""The way to a scale and back is not exact: values that differ by less, relative to their size, are the same."""
ROWS = "row_count"
"""The metric that is judged once for a table. Rows come whole: an interval between two whole numbers would call every
run unusual (413.46 to 413.75 rows did)."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What one run says: how surprising each metric is and what it adds, and the values (as bytes) that say so."""

    values: bytes
    surprises: Floats
    contributions: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """What is expected of every metric in the next run, and how surprising it is to be off, above and below.

    It carries the curves it was made with, so that it means the same under later prices.
    """

    metrics: tuple[str, ...]
    forecasts: Forecasts
    curves: Curves
    limits: Limits
    prices: str = ""
    """The name of the prices."""
    weights: Floats | None = None
    """What each metric counts in the total of a run (one row per metric); None under prices that have no weights."""
    seen: Seen | None = None
    """What is known already of one run: a check asks three times, and all columns of a table are read at once."""

    def contributions(self, values: Floats) -> Floats:
        """What each metric (the last axis) adds to the total of runs that read these values; 0 where undefined."""
        if self.seen is not None and self.seen.values == values.tobytes():
            return self.seen.contributions.reshape(values.shape)
        distances = self.forecasts.distances(values)
        return contributions(self.curves.surprise(distances), distances, self.forecasts.is_constant, self.weights)

    def surprises(self, values: Floats) -> Floats:
        """Of every metric (the last axis) in runs that read these values; 0 where undefined."""
        if self.seen is not None and self.seen.values == values.tobytes():
            return self.seen.surprises.reshape(values.shape)
        return self.curves.surprise(self.forecasts.distances(values))

    def without(self, metric: str) -> Joint:
        """The same for all metrics but one: what is left surprises less, so the budget is kept."""
        if metric not in self.metrics:
            return self
        i = self.metrics.index(metric)
        metrics, curves = (*self.metrics[:i], *self.metrics[i + 1 :]), self.curves.without(i)
        weights = None if self.weights is None else np.delete(self.weights, i, axis=0)
        return Joint(metrics, self.forecasts.without(i), curves, self.limits, self.prices, weights)

    def interval(self, i: int, surprise: float) -> tuple[float, float]:
        """The values of metric i that are less surprising than this."""
        above, below = (self.curves.one(i, side).distance(surprise) for side in (ABOVE, BELOW))
        low, high = self.forecasts.end(i, -below), self.forecasts.end(i, above)
        least = 1.0 if self.forecasts.scale[i] == "ratio" else 0.0  # a share of 0 comes back from its scale as about 0
        least = max(least, abs(self.forecasts.end(i, 0.0)))
        # each end has its own: one that is beyond all numbers would open the other
        under, over = (_ALIKE * max(least, abs(end)) if np.isfinite(end) else 0.0 for end in (low, high))
        if self.metrics[i] == ROWS:
            low, high = np.floor(low + under), np.ceil(high - over)
        return float(low - under), float(high + over)

    def expected(self, metric: str, surprise: float = USUAL) -> Expected | None:
        """The forecast of one metric, and the values that are less surprising than this."""
        i = self.metrics.index(metric) if metric in self.metrics else -1
        if i < 0 or not self.known[i]:
            return None
        return Expected(self.forecasts.end(i, 0.0), *self.interval(i, surprise), bool(self.forecasts.is_constant[i]))

    def rarity(self, total: Floats) -> Floats:
        """How often a good run has at least this total of all its metrics together."""
        return self.limits.budget(np.zeros(np.shape(total)), total)

    @property
    def known(self) -> Bools:
        """Which metrics have a forecast."""
        return np.isfinite(self.forecasts.centre) & np.isfinite(self.forecasts.spread)


def having_seen(columns: Sequence[tuple[Joint, Floats]]) -> list[Joint]:
    """The same with what each says of the values that its metrics read, worked out for many columns at once."""
    found: dict[int, Joint] = {}
    for has_weights in (True, False):
        ours = [i for i, (joint, _) in enumerate(columns) if (joint.weights is not None) == has_weights]
        for start in range(0, len(ours), _AT_ONCE):
            some = ours[start : start + _AT_ONCE]
            found |= zip(some, _read_at_once([columns[i] for i in some]), strict=True)
    return [found[i] for i in range(len(columns))]


def _read_at_once(columns: Sequence[tuple[Joint, Floats]]) -> list[Joint]:
    """Every metric is read by itself, so that those of all columns are those of one."""
    joints = [joint for joint, _ in columns]
    forecasts = Forecasts.joined([joint.forecasts for joint in joints])
    weights = [joint.weights for joint in joints if joint.weights is not None]
    distances = forecasts.distances(np.concatenate([values for _, values in columns]))
    surprises = Curves.joined([joint.curves for joint in joints]).surprise(distances)
    of_all = np.concatenate(weights) if weights else None
    added = contributions(surprises, distances, forecasts.is_constant, of_all)
    ends = np.cumsum([len(joint.metrics) for joint in joints])[:-1]
    parts = zip(columns, np.split(surprises, ends), np.split(added, ends), strict=True)
    return [replace(joint, seen=Seen(values.tobytes(), *one)) for (joint, values), *one in parts]
