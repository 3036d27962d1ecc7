"""Look back over good runs: how far was each from the forecast that the runs before it give?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.learners.calibrated.fit import Replay
from byhistory.learners.calibrated.forecast import AS_SHIPPED, RECENT, Forecasting
from byhistory.learners.calibrated.leaps import leap_ends, leaping
from byhistory.learners.calibrated.learn import forecasts
from byhistory.metrics import Metric
from byhistory.profile.arrays import Bools, Floats

HISTORIES = (7, 14, 21, 30, RECENT)
"""Lengths of history that prices are measured for, by choice: one to four weeks of days, and the usual window."""
_LEAST = 7
"""Runs that must be before one that is replayed, or all of a shorter history: what a program needs (`NEEDED_RUNS`)."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnDistances:
    """How far the runs of one column (one row per run) were off in each metric, which metrics had been constant, and
    which leapt.
    """

    source: int
    kind: str
    history: int
    metrics: tuple[str, ...]
    distances: Floats
    is_constant: Bools
    is_leap: Bools


def look_back(
    source: int,
    kind: str,
    history: int,
    metrics: Sequence[Metric],
    runs: Iterable[tuple[Floats, Sequence[int], Floats]],
    *,
    by: Forecasting = AS_SHIPPED,
) -> ColumnDistances:
    """The distances of one column. Each run is its past (one row per metric, oldest first), seasons, and own values."""
    distances, is_constant, is_leap = [], [], []
    names = tuple(m.name for m in metrics)
    for past, seasons, now in runs:
        if np.isfinite(now).any() and np.isfinite(past).any(axis=0).sum() >= min(_LEAST, history):
            expected = forecasts(metrics, past, seasons, by=by)
            distances.append(expected.distances(now[None])[0])
            is_constant.append(expected.is_constant)
            is_leap.append(leaping(leap_ends(names, past), now))
    shape = (len(distances), len(metrics))
    flags = (np.array(of, np.bool_).reshape(shape) for of in (is_constant, is_leap))
    return ColumnDistances(source, kind, history, names, np.array(distances).reshape(shape), *flags)


def pooled(columns: Sequence[ColumnDistances]) -> list[Replay]:
    """The runs of all columns together, by length of history and kind."""
    found = []
    for history, kind in sorted({(c.history, c.kind) for c in columns if len(c.distances)}):
        mine = [c for c in columns if (c.history, c.kind) == (history, kind)]
        names = sorted({name for c in mine for name in c.metrics})
        distances = np.full((sum(len(c.distances) for c in mine), len(names)), np.nan)
        is_constant, is_leap = (np.zeros(distances.shape, np.bool_) for _ in range(2))
        start = 0
        for c in mine:
            rows, places = slice(start, start + len(c.distances)), [names.index(name) for name in c.metrics]
            distances[rows, places], is_constant[rows, places] = c.distances, c.is_constant
            is_leap[rows, places] = c.is_leap
            start += len(c.distances)
        source = np.repeat([c.source for c in mine], [len(c.distances) for c in mine]).astype(np.int64)
        found.append(Replay(kind, history, tuple(names), distances, is_constant, source, is_leap))
    return found
