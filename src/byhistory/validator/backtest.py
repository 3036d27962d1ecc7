"""Replay the past: which runs would have been stopped, and which faults would be caught?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from byhistory import inject
from byhistory.config import TableConfig
from byhistory.constraints import judge
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.program import Program
from byhistory.validator.learning import Progress, learn_all
from byhistory.validator.memory import Memory


@dataclass(frozen=True, slots=True)
class Replayed:
    """One past run as it would have been judged: the clauses that it breaks, as (column, metric)."""

    run: str
    columns: int
    broken: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Backtest:
    """The past judged again, run by run, each by what was known before it.

    `rate` is the measured share of judged columns that would have been stopped, with its 95 % interval
    (Clopper–Pearson); `caught` is the share of each type of fault that today's programs catch.
    """

    budget: float
    runs: tuple[Replayed, ...]
    caught: Mapping[str, float]

    @property
    def judged(self) -> int:
        """Columns of runs that were judged."""
        return sum(r.columns for r in self.runs)

    @property
    def stopped(self) -> int:
        """Columns of runs that would have been stopped."""
        return sum(len({column for column, _ in r.broken}) for r in self.runs)

    @property
    def rate(self) -> tuple[float, float, float]:
        """Measured rate, and the ends of its 95 % interval; nan without a judged run."""
        n, k = self.judged, self.stopped
        if not n:
            return np.nan, np.nan, np.nan
        low = float(beta.ppf(0.025, k, n - k + 1)) if k else 0.0
        high = float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
        return k / n, low, high


def backtest(
    memory: Memory,
    config: TableConfig,
    programs: Mapping[str, Program],
    metrics: Sequence[Metric] = ALL_METRICS,
    progress: Progress | None = None,
) -> Backtest:
    """Judge every run that has enough runs before it; `programs` are today's, for what faults do to each column."""
    replayed = []
    for i in range(1, len(memory.runs)):
        before = Memory(memory.runs[:i], memory.measures[:i], memory.starts, memory.store, memory.table)
        learned = learn_all(before, config, programs, metrics=metrics)
        ready = {name: p for name, p in learned.items() if p.is_ready and name in memory.measures[i].types}
        if ready:
            broken = [(name, metric) for name, p in ready.items() for metric in _broken(p, before, memory, i, metrics)]
            replayed.append(Replayed(memory.runs[i].run, len(ready), tuple(broken)))
        if progress is not None:
            progress(i + 1, len(memory.runs))
    return Backtest(config.budget, tuple(replayed), caught_by_type(programs, memory, metrics))


def _broken(program: Program, before: Memory, memory: Memory, i: int, metrics: Sequence[Metric]) -> list[str]:
    by_name = {m.name: m for m in metrics}
    broken = []
    for clause in program.clauses:
        if clause.metric in by_name:
            value = float(memory.measures[i].of_column(program.column, [clause.metric])[0])
            series = before.series(program.column, [by_name[clause.metric]])[0]
            if judge(clause, value, series).status == "broken":
                broken.append(clause.metric)
    return broken


def caught_by_type(
    programs: Mapping[str, Program], memory: Memory, metrics: Sequence[Metric] = ALL_METRICS
) -> dict[str, float]:
    """Of the faults of each type, injected into every column, the share that its program stops."""
    types = {f.name: f.type for f in inject.ALL}
    by_name = {m.name: m for m in metrics}
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for program in programs.values():
        if program.responses is None or not program.is_ready:
            continue
        stopped = np.zeros(len(program.responses.faults), np.bool_)
        for clause in program.clauses:
            if clause.metric not in by_name:
                continue
            series = memory.series(program.column, [by_name[clause.metric]])[0][:-1]  # faults are put into the last run
            reads = program.responses.of([clause.metric])[:, 0]
            stopped |= [judge(clause, float(value), series).status == "broken" for value in reads]
        for fault, was in zip(program.responses.faults, stopped, strict=True):
            count = tally[types.get(fault, fault)]
            count[0] += bool(was)
            count[1] += 1
    return {type_: caught / total for type_, (caught, total) in sorted(tally.items())}
