"""Replay the past: which runs would have been stopped, and which faults would be caught?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from byhistory import inject
from byhistory.config import TableConfig
from byhistory.constraints import Constraint
from byhistory.inject import Fault
from byhistory.learners import Learner, Override, Program, overridden
from byhistory.learners.judge import as_tables, broken
from byhistory.learners.rate import Rate
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Measures, Metric
from byhistory.series.transform import value_before
from byhistory.validator.learning import Progress, learn_all
from byhistory.validator.memory import Memory
from byhistory.validator.programs import without_meaning
from byhistory.verdict.material import COMPARED, is_priced, last_known, weighed


@dataclass(frozen=True, slots=True)
class Replayed:
    """One past run as it would have been judged: the clauses that it breaks, as (column, metric)."""

    run: str
    columns: int
    broken: tuple[tuple[str, str], ...]

    @property
    def stopped(self) -> tuple[str, ...]:
        """The columns that break any."""
        return tuple(dict.fromkeys(column for column, _ in self.broken))


@dataclass(frozen=True, slots=True)
class Backtest:
    """The past judged again: each run by the runs before it.

    `rate` is the share of what the budget is of (runs of the table, or its columns run by run) that would have been
    stopped, with its 95 % interval (Clopper–Pearson). `caught` gives, for each type of fault, the share that today's
    programs catch.
    """

    budget: float
    runs: tuple[Replayed, ...]
    caught: Mapping[str, float]
    per: str = "table"

    @property
    def judged(self) -> int:
        """How many runs were judged; of a budget per column, how many columns, summed over the runs."""
        return len(self.runs) if self.per == "table" else sum(r.columns for r in self.runs)

    @property
    def stopped(self) -> int:
        """How many of them would have been stopped."""
        return sum(min(len(r.stopped), 1) if self.per == "table" else len(r.stopped) for r in self.runs)

    @property
    def rate(self) -> tuple[float, float, float]:
        """`stopped / judged`, and the two ends of its 95 % interval; all nan if nothing was judged."""
        rate = Rate(self.stopped, self.judged)
        return rate.share, *rate.interval


def backtest(
    memory: Memory,
    config: TableConfig,
    programs: Mapping[str, Program],
    overrides: Sequence[Override] = (),
    *,
    learner: Learner,
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    progress: Progress | None = None,
) -> Backtest:
    """Judge every run that has enough runs before it; `programs` are today's, for what faults do to each column.

    What the user decided in `overrides` is taken to have held all the time.
    """
    replayed = []
    for i in range(1, len(memory.runs)):
        before = memory.until(i, config, learner)
        learned = learn_all(before, config, programs, metrics=metrics, learner=learner)
        now = memory.measures[i]
        own = [*without_meaning(before, learned), *overrides]
        decided = {n: overridden(p, own) for n, p in learned.items() if p.is_ready and n in now.types}
        ready = as_tables(decided, [learner], now.of_column).values()
        if ready:
            stops = [(p.column, clause) for p in ready for clause in _broken(p, learner, now, before, metrics)]
            replayed.append(Replayed(memory.runs[i].run, len(ready), tuple(stops)))
        if progress is not None:
            progress(i + 1, len(memory.runs))
    own = [*without_meaning(memory, programs), *overrides]
    today = [overridden(p, own) for p in programs.values()]
    caught = caught_by_type(today, learner, memory, metrics, faults)
    return Backtest(config.budget, tuple(replayed), caught, config.per)


def _broken(program: Program, learner: Learner, now: Measures, before: Memory, metrics: Sequence[Metric]) -> list[str]:
    """The metrics whose clauses a run breaks."""
    past = before.compared_with(program, metrics)
    stopped = broken(program, learner, lambda names: now.of_column(program.column, names)[None], past)
    found = [clause for clause, is_broken in zip(program.clauses, stopped[:, 0], strict=True) if is_broken]
    if any(map(is_priced, found)):
        compared = [m for m in metrics if m.name in COMPARED]
        known = last_known(before.series(program.column, compared)).tolist()
        then, reads = dict(zip((m.name for m in compared), known, strict=True)), now.reads(program.column)

        def stops(clause: Constraint) -> bool:
            compared = value_before(clause.transform, past.get(clause.metric, ()))
            return weighed("stop", clause.metric, program.kind, reads, then, compared=compared) == "stop"

        found = [c for c in found if not is_priced(c) or stops(c)]  # about the others a check only warns
    return [clause.metric for clause in found]


def caught_by_type(
    programs: Iterable[Program],
    learner: Learner,
    memory: Memory,
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
) -> dict[str, float]:
    """For each type of fault, the share of faults injected into every column that the column's program stops."""
    types = {f.name: f.type for f in faults}
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    earlier = memory.until(len(memory.runs) - 1, TableConfig(window=len(memory.runs)), learner)
    for program in programs:
        if program.responses is None or not program.is_ready:
            continue
        after = partial(learner.after_faults, program, program.responses)
        before = earlier if learner.spoils_last_run else memory
        stops = broken(program, learner, after, before.compared_with(program, metrics))
        for fault, was in zip(program.responses.faults, stops.T, strict=True):
            count = tally[types.get(fault, fault)]
            count[0] += bool(was.any())
            count[1] += 1
    return {type_: caught / total for type_, (caught, total) in sorted(tally.items())}
