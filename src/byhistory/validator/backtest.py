"""Replay the past: which runs would have been stopped, and which faults would be caught?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from byhistory import inject
from byhistory.config import TableConfig
from byhistory.constraints import judge
from byhistory.constraints.joint import JOINT
from byhistory.inject import Responses
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.prices.table import together
from byhistory.profile.arrays import Bools, Floats
from byhistory.program import Override, Program, overridden
from byhistory.validator.learning import Progress, learn_all
from byhistory.validator.measures import Measures
from byhistory.validator.memory import Memory
from byhistory.validator.rate import Rate

Read = Callable[[Sequence[str]], Floats]


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
        rate = Rate(self.stopped, self.judged)
        return rate.share, *rate.interval


def backtest(
    memory: Memory,
    config: TableConfig,
    programs: Mapping[str, Program],
    overrides: Sequence[Override] = (),
    *,
    metrics: Sequence[Metric] = ALL_METRICS,
    progress: Progress | None = None,
) -> Backtest:
    """Judge every run that has enough runs before it; `programs` are today's, for what faults do to each column.

    What the user decided in `overrides` is taken to have held all the time.
    """
    replayed = []
    for i in range(1, len(memory.runs)):
        before = memory.until(i, config)
        learned = learn_all(before, config, programs, metrics=metrics)
        now = memory.measures[i]
        ready = [overridden(p, overrides) for name, p in learned.items() if p.is_ready and name in now.types]
        if ready:
            broken = [(p.column, clause) for p in ready for clause in _broken(p, now, before, metrics)]
            replayed.append(Replayed(memory.runs[i].run, len(ready), tuple(broken)))
        if progress is not None:
            progress(i + 1, len(memory.runs))
    today = [overridden(p, overrides) for p in programs.values()]
    return Backtest(config.budget, tuple(replayed), caught_by_type(today, memory, metrics))


def _broken(program: Program, now: Measures, before: Memory, metrics: Sequence[Metric]) -> list[str]:
    """The metrics whose clauses a run breaks."""
    said = _breaks(program, lambda names: now.of_column(program.column, names)[None], before, metrics)
    return [metric for metric, stopped in said if stopped[0]]


def _breaks(program: Program, read: Read, before: Memory, metrics: Sequence[Metric]) -> Iterator[tuple[str, Bools]]:
    """For every clause whether each of some runs breaks it; `read` tells what metrics read there, a row a run."""
    by_name = {m.name: m for m in metrics}
    for clause in program.clauses:
        if clause.metric == JOINT and program.joint is not None:
            yield JOINT, together(program.joint.surprises(read(program.joint.metrics))) > clause.high
        elif clause.metric in by_name:
            series = before.with_gaps(before.series(program.column, [by_name[clause.metric]]))[0]
            values = read([clause.metric])[:, 0].tolist()
            yield clause.metric, np.array([judge(clause, value, series).status == "broken" for value in values])


def caught_by_type(
    programs: Iterable[Program], memory: Memory, metrics: Sequence[Metric] = ALL_METRICS
) -> dict[str, float]:
    """Of the faults of each type, injected into every column, the share that its program stops."""
    types = {f.name: f.type for f in inject.ALL}
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    before = memory.until(len(memory.runs) - 1, TableConfig(window=len(memory.runs)))
    for program in programs:  # faults are put into the last run
        if program.responses is None or not program.is_ready:
            continue
        stopped = np.zeros(len(program.responses.faults), np.bool_)
        for _, is_broken in _breaks(program, _after_faults(program, program.responses), before, metrics):
            stopped |= is_broken
        for fault, was in zip(program.responses.faults, stopped, strict=True):
            count = tally[types.get(fault, fault)]
            count[0] += bool(was)
            count[1] += 1
    return {type_: caught / total for type_, (caught, total) in sorted(tally.items())}


def _after_faults(program: Program, responses: Responses) -> Read:
    """What metrics read after the faults; under forecasts, as if those were put into the run that is forecast."""
    joint = program.joint
    if joint is None:
        return responses.of
    known = dict(zip(joint.metrics, joint.forecasts.as_if_next(responses.of(joint.metrics)).T, strict=True))
    return lambda names: np.column_stack([known[n] if n in known else responses.of([n])[:, 0] for n in names])
