"""Look back over runs that were good: how far was each from what the runs before it let expect?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.learners.calibrated.fit import Replay
from byhistory.learners.calibrated.forecast import AS_SHIPPED, Forecasting
from byhistory.learners.calibrated.learn import forecasts
from byhistory.metrics import Metric
from byhistory.profile.arrays import Bools, Floats

_LEAST = 7
"""Runs that a past needs to be looked back from, or all of a shorter one."""


@dataclass(frozen=True, slots=True, eq=False)
class Off:
    """How far the runs of one column (one row per run) were off in each metric, and which were constant until then."""

    source: int
    kind: str
    history: int
    metrics: tuple[str, ...]
    away: Floats
    still: Bools


def look_back(
    source: int,
    kind: str,
    history: int,
    metrics: Sequence[Metric],
    runs: Iterable[tuple[Floats, Sequence[int], Floats]],
    *,
    by: Forecasting = AS_SHIPPED,
) -> Off:
    """One column: each run as its past (one row per metric, oldest first), the seasons, and what it read itself."""
    away, still = [], []
    for past, seasons, now in runs:
        if np.isfinite(now).any() and np.isfinite(past).any(axis=0).sum() >= min(_LEAST, history):
            expected = forecasts(metrics, past, seasons, by=by)
            away.append(expected.away(now[None])[0])
            still.append(expected.still)
    shape = (len(away), len(metrics))
    names = tuple(m.name for m in metrics)
    return Off(source, kind, history, names, np.array(away).reshape(shape), np.array(still, np.bool_).reshape(shape))


def pooled(columns: Sequence[Off]) -> list[Replay]:
    """The runs of all columns together, by length of history and kind."""
    found = []
    for history, kind in sorted({(c.history, c.kind) for c in columns if len(c.away)}):
        mine = [c for c in columns if (c.history, c.kind) == (history, kind)]
        names = sorted({name for c in mine for name in c.metrics})
        away = np.full((sum(len(c.away) for c in mine), len(names)), np.nan)
        still = np.zeros(away.shape, np.bool_)
        start = 0
        for c in mine:
            rows, places = slice(start, start + len(c.away)), [names.index(name) for name in c.metrics]
            away[rows, places], still[rows, places] = c.away, c.still
            start += len(c.away)
        source = np.repeat([c.source for c in mine], [len(c.away) for c in mine]).astype(np.int64)
        found.append(Replay(kind, history, tuple(names), away, still, source))
    return found
