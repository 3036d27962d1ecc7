"""What shows how far off a run is, where the metric itself only shows that it grows?

A time stamp that is two hours early, in a picture of fifty days, is a straight line. There, each run is drawn by how
far it was from what was expected of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from byhistory.learners import NEEDED_RUNS
from byhistory.metrics import Metric, Single
from byhistory.profile import Kind
from byhistory.report.story import ClauseStory

_THIN = 12.0
"""How many times as far as its band is high a metric has come before its band is a line, by choice: of a plot 150
pixels high a twelfth is less than a label."""


def from_expected(clause: ClauseStory) -> ClauseStory:
    """The clause as distances from the middle of what was usual on each day, where only they can be seen.

    That is where the past has come far in proportion to what is usual, and was near its middle all the way; any other
    clause is answered as it is.
    """
    line, metric = clause.line, clause.metric
    values, lows, highs = (np.array(part, np.float64) for part in (line.values, line.lows, line.highs))
    with np.errstate(invalid="ignore", over="ignore"):  # numbers near ±1e308 are out of range of each other
        middle = lows / 2 + highs / 2
        away = values - middle
        past = np.isfinite(away[:-1]) & np.array(line.learned[:-1] or (True,) * (len(values) - 1), np.bool_)
        if metric is None or past.sum() < NEEDED_RUNS or not np.isfinite(away[-1]):
            return clause
        way, strayed = float(np.ptp(values[:-1][past])), float(np.ptp(away[:-1][past]))
        if not np.isfinite(way) or way <= _THIN * max(float(highs[-1] - lows[-1]), strayed):
            return clause
    here = float(middle[-1])
    outcome = replace(
        clause.outcome,
        value=clause.outcome.value - here,
        low=clause.outcome.low - here,
        high=clause.outcome.high - here,
    )
    drawn = replace(line, values=_all(away), lows=_all(lows - middle), highs=_all(highs - middle))
    return replace(clause, outcome=outcome, metric=_distance(metric, clause.kind), line=drawn)


def _all(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, ...]:
    return tuple(values.tolist())


def _distance(metric: Metric, kind: Kind) -> Single:
    """How a metric's distance from what was expected is written: of a time, as a length of time."""
    is_time = kind is Kind.TEMPORAL and metric.unit == "value"
    return Single(
        "range" if is_time else metric.name,
        f"{metric.title}, from what was expected",
        metric.kinds,
        metric.bound,
        -np.inf,
        np.inf,
        lambda _: np.nan,
        "level",
        metric.unit,
    )
