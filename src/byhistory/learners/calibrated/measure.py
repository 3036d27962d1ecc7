"""Prices from the user's own past, measured on how far good runs of the user's tables were off."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from byhistory.learners.calibrated.fit import FOLDS, Replay, fit, folds_of, source_number, stopped
from byhistory.learners.calibrated.forecast import RECENT, reach
from byhistory.learners.calibrated.prices import shipped, to_json
from byhistory.learners.calibrated.replay import HISTORIES, ColumnDistances, look_back, pooled
from byhistory.learners.measuring import Family, MeasuredPrices, PastColumn
from byhistory.learners.rate import Rate
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Bools

if TYPE_CHECKING:
    from byhistory.learners.calibrated.learner import Calibrated

TABLES = 10
"""Tables that are needed for prices (a choice): fewer do not tell what the next table will do."""
BEYOND = 10
"""Good runs that should lie beyond a limit (a choice): fewer are chance."""
MOST = 40_000
"""The most runs that are replayed per length of history, evenly chosen if there are more (a choice: a minute's
work)."""
_KINDS = (Kind.NUMERIC, Kind.CATEGORICAL)
"""The kinds of column that prices are measured for; other kinds use the prices of these."""


def measured_prices(
    learner: Calibrated,
    columns: Iterable[PastColumn],
    sizes: Sequence[Sequence[int]],
    offered: Sequence[Metric],
    budget: float,
) -> MeasuredPrices:
    """What the shipped prices do on these columns, and prices of their own where there are enough runs."""
    every = {history: 1 + sum(sum(runs[history:]) for runs in sizes) // MOST for history in HISTORIES}
    seen: list[ColumnDistances] = []
    for column in columns:
        if column.kind in _KINDS:
            seen += _look_back(learner, column, offered, every)
    replays = pooled(seen)
    needed = BEYOND / budget
    enough = [r for r in replays if len(r.distances) >= needed and len(set(r.source)) >= TABLES]
    made = {
        "command": "byhistory calibrate",
        "tables": len(sizes),
        "cases": {_name(r): len(r.distances) for r in enough},
    }
    families = []
    for replay in replays:
        own = _own(learner, replay, budget) if any(replay is r for r in enough) else None
        theirs = _rate(stopped(learner, replay, shipped(), budget))
        families.append(Family(replay.kind, replay.history, len(set(replay.source)), theirs, own))
    prices = to_json(shipped().renewed(fit(learner, enough, made))) if enough else None
    return MeasuredPrices(tuple(families), prices, round(needed), TABLES)


def _look_back(
    learner: Calibrated, column: PastColumn, offered: Sequence[Metric], every: Mapping[int, int]
) -> list[ColumnDistances]:
    found = []
    wanted = learner.metrics(column.kind, column.is_discrete, offered)
    series = column.read(wanted)
    first = zlib.crc32(f"{column.table}.{column.name}".encode())  # so that other columns start at other runs
    for history in HISTORIES:
        places = range(history + first % every[history], series.shape[1], every[history])
        far = reach(column.seasons) if history == RECENT else history
        runs = ((series[:, max(0, at - far) : at], column.seasons, series[:, at]) for at in places)
        source, kind = source_number(column.table), column.kind.value
        found.append(look_back(source, kind, history, wanted, runs, by=learner.forecasting))
    return found


def _own(learner: Calibrated, replay: Replay, budget: float) -> Rate:
    """How many runs prices from the other tables would have stopped, fold by fold."""
    fold = folds_of(replay.source)
    out = np.zeros(len(fold), np.bool_)
    for k in range(FOLDS):
        prices = fit(learner, [replay.of(fold != k)], {}, has_doubt=False)
        out[fold == k] = stopped(learner, replay.of(fold == k), prices, budget)
    return _rate(out)


def _rate(out: Bools) -> Rate:
    return Rate(int(out.sum()), len(out))


def _name(replay: Replay) -> str:
    return f"{replay.kind} {replay.history}"
