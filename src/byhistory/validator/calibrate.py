"""Prices from the user's own past: how far off good runs of their tables were, in place of the runs that we
measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.history import Store
from byhistory.learners import Learner
from byhistory.learners.measuring import Family, MeasuresPrices, PastColumn
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats
from byhistory.validator.learnable import is_good
from byhistory.validator.learning import Progress
from byhistory.validator.ledger import STOPPED
from byhistory.validator.memory import Memory


@dataclass(frozen=True, slots=True)
class Calibration:
    """Prices measured on the user's own runs, and what they were measured on, one entry per family of metrics.

    `prices` is the text of a file of prices, or None if no family has enough past runs: the `needed` column-runs (one
    column in one good run) of the `needed_tables`. `undecided` counts the runs that were stopped and that nobody has
    accepted or rejected: they are left out of the measurement.
    """

    budget: float
    families: tuple[Family, ...]
    undecided: int
    prices: str | None
    needed: int
    needed_tables: int


def learner_to_calibrate(learners: Sequence[Learner]) -> MeasuresPrices:
    """The first learner that measures its prices."""
    found = next((one for one in learners if isinstance(one, MeasuresPrices)), None)
    if found is None:
        names = ", ".join(one.name for one in learners)
        raise ByHistoryError("calibrate", f"no learner that measures its prices ({names})", "name one that does")
    return found


def calibrate(
    store: Store,
    tables: Sequence[str],
    learner: MeasuresPrices,
    metrics: Sequence[Metric],
    budget: float,
    *,
    progress: Progress | None = None,
) -> Calibration:
    """Have a learner measure its prices on the good runs of some tables."""
    lines = {table: store.runs(table) for table in tables}
    sizes = {table: [line.columns for line in of if is_good(line)] for table, of in lines.items()}
    undecided = sum(line.outcome in STOPPED and line.decision is None for t in tables for line in lines[t])

    def columns() -> Iterator[PastColumn]:
        for i, table in enumerate(tables, 1):
            memory = Memory.of(store, table, None, TableConfig(window=len(sizes[table]) or 1))
            yield from _columns(memory)
            if progress is not None:
                progress(i, len(tables))

    found = learner.measure_prices(columns(), list(sizes.values()), metrics, budget)
    return Calibration(budget, found.families, undecided, found.prices, found.needed, found.needed_tables)


def _columns(memory: Memory) -> Iterator[PastColumn]:
    """The columns of the last run, over the runs before it that had them as the same kind."""
    if memory.measures:
        last = memory.measures[-1]
        for name in last.types:
            kind = last.kinds[name]
            read = partial(_read, memory, name, kind)
            yield PastColumn(memory.table, name, kind, memory.is_discrete(name), memory.seasons, read)


def _read(memory: Memory, name: str, kind: Kind, metrics: Sequence[Metric]) -> Floats:
    return memory.with_gaps(memory.series(name, metrics, kind))
