"""Prices from the user's own past: how far good runs of their tables were off, in place of those that we measured."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from byhistory.config import TableConfig
from byhistory.history import Store
from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.fit import FOLDS, Replay, fit, folds_of, source_number, stopped
from byhistory.learners.calibrated.forecast import RECENT, reach
from byhistory.learners.calibrated.learner import HISTORIES
from byhistory.learners.calibrated.prices import Prices, shipped
from byhistory.learners.calibrated.replay import ColumnDistances, look_back, pooled
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Bools
from byhistory.validator.learning import Progress
from byhistory.validator.ledger import STOPPED
from byhistory.validator.memory import Memory, is_good
from byhistory.validator.rate import Rate

TABLES = 10
"""From fewer tables nobody can tell what the next one does."""
BEYOND = 10
"""So many good runs should lie beyond a limit: fewer are chance."""
MOST = 40_000
"""Runs that are looked back from at each length of history; of more, evenly chosen ones."""
_KINDS = (Kind.NUMERIC, Kind.CATEGORICAL)
"""What prices are measured for; the others use theirs."""


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of column at one length of history: what the shipped prices did on it, and what its own would do.

    `own` is measured on tables that those prices had no part in; None where there is not enough to go by.
    """

    kind: str
    history: int
    tables: int
    shipped: Rate
    own: Rate | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Prices measured on the user's own runs, and what they were measured on, one entry per family of metrics.

    `prices` is None if no family has enough past runs. `undecided` counts the runs that were stopped and that nobody
    has accepted or rejected: they are left out of the measurement.
    """

    budget: float
    families: tuple[Family, ...]
    undecided: int
    prices: Prices | None

    @property
    def needed(self) -> int:
        """How many good column-runs (one column in one run) a family needs before it gets prices of its own."""
        return round(BEYOND / self.budget)


def calibrate(
    store: Store, tables: Sequence[str], metrics: Sequence[Metric], budget: float, progress: Progress | None = None
) -> Calibration:
    """Look back over the good runs of some tables, and fit prices where there are enough of them."""
    lines = {table: store.runs(table) for table in tables}
    good = {table: [line for line in of if is_good(line)] for table, of in lines.items()}
    undecided = sum(line.outcome in STOPPED and line.decision is None for t in tables for line in lines[t])
    every = {
        history: 1 + sum(line.columns for of in good.values() for line in of[history:]) // MOST for history in HISTORIES
    }
    seen: list[ColumnDistances] = []
    for i, table in enumerate(tables, 1):
        seen += _look_back(Memory.of(store, table, None, TableConfig(window=len(good[table]) or 1)), metrics, every)
        if progress is not None:
            progress(i, len(tables))
    replays = pooled(seen)
    needed = BEYOND / budget
    enough = [r for r in replays if len(r.distances) >= needed and len(set(r.source)) >= TABLES]
    made = {
        "command": "byhistory calibrate",
        "tables": len(tables),
        "cases": {_name(r): len(r.distances) for r in enough},
    }
    families = []
    for replay in replays:
        own = _own(replay, budget) if any(replay is r for r in enough) else None
        theirs = _rate(stopped(CALIBRATED, replay, shipped(), budget))
        families.append(Family(replay.kind, replay.history, len(set(replay.source)), theirs, own))
    prices = shipped().renewed(fit(CALIBRATED, enough, made)) if enough else None
    return Calibration(budget, tuple(families), undecided, prices)


def _look_back(memory: Memory, metrics: Sequence[Metric], every: dict[int, int]) -> list[ColumnDistances]:
    found = []
    names = memory.measures[-1].types if memory.measures else ()
    for name in names:
        kind = memory.measures[-1].kinds[name]
        if kind not in _KINDS:
            continue
        wanted = CALIBRATED.metrics(kind, memory.is_discrete(name), metrics)
        series = memory.with_gaps(memory.series(name, wanted, kind))
        first = zlib.crc32(f"{memory.table}.{name}".encode())  # not the same runs of all columns
        for history in HISTORIES:
            places = range(history + first % every[history], series.shape[1], every[history])
            far = reach(memory.seasons) if history == RECENT else history
            runs = ((series[:, max(0, at - far) : at], memory.seasons, series[:, at]) for at in places)
            found.append(look_back(source_number(memory.table), kind.value, history, wanted, runs))
    return found


def _own(replay: Replay, budget: float) -> Rate:
    """What prices from the other tables would have stopped, fold by fold."""
    fold = folds_of(replay.source)
    out = np.zeros(len(fold), np.bool_)
    for k in range(FOLDS):
        prices = fit(CALIBRATED, [replay.of(fold != k)], {}, has_doubt=False)
        out[fold == k] = stopped(CALIBRATED, replay.of(fold == k), prices, budget)
    return _rate(out)


def _rate(out: Bools) -> Rate:
    return Rate(int(out.sum()), len(out))


def _name(replay: Replay) -> str:
    return f"{replay.kind} {replay.history}"
