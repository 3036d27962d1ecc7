"""The room of learning: what the next run will be judged by, and how well that would have done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from byhistory.errors import ByHistoryError
from byhistory.export import ALL as FORMATS
from byhistory.export import Export
from byhistory.history import Store
from byhistory.learners import Learner, Program
from byhistory.metrics import Metric
from byhistory.report.explain import explain
from byhistory.series.role import meaningless
from byhistory.validator import decided
from byhistory.validator.backtest import Backtest, backtest
from byhistory.validator.calibrate import Calibration, calibrate, learner_to_calibrate
from byhistory.validator.guarded import Guarded
from byhistory.validator.learned import learned_of
from byhistory.validator.learning import Progress
from byhistory.validator.programs import current, programs, relearn

_ALL_RUNS = 10_000
"""How many runs a backtest looks at, by choice: 27 years of days, so all that anybody has."""


@dataclass(frozen=True, slots=True)
class Learning:
    """What was learned about tables: `guard.learning`.

    >>> from byhistory import Config, Validator, profile_table
    >>> guard = Validator("memory:", config=Config())
    >>> past = [profile_table({"n": [day, 2, 3]}, run=f"2026-11-{day}") for day in range(10, 30)]
    >>> _ = guard.remember(past, "orders")
    >>> {name: program.runs for name, program in guard.learning.programs("orders").items()}
    {'n': 20}
    >>> guard.learning.explain("orders").partition(";")[0]
    'n (numeric, measure): 2 constraints learned from 20 runs'
    """

    store: Store
    guarded: Callable[[str], Guarded]
    metrics: tuple[Metric, ...]
    learners: tuple[Learner, ...]
    """All learners, with the configured one first."""
    budget: float
    """The budget for what is not about one table."""

    def programs(self, table: str) -> dict[str, Program]:
        """What the next run will be judged by: the learned programs with the user's overrides, one per column."""
        return programs(self.guarded(table))

    def roles(self, table: str) -> dict[str, str]:
        """What each column is for ("identifier", "code", "measure", …), as configured or as read from its past runs."""
        memory = self.guarded(table).memory()
        return {name: memory.role(name, program.kind) for name, program in self.programs(table).items()}

    def left_out(self, table: str, programs: Mapping[str, Program]) -> dict[str, tuple[str, list[str]]]:
        """For columns to which the user gave a role: the role, and the metrics that are not judged because of it."""
        entries = self.guarded(table).config.columns
        metrics = {m.name: m for m in self.metrics}
        found = {}
        for name, program in programs.items():
            role = entries[name].role if name in entries else None
            names = [m for m in meaningless(role) if m in metrics and program.kind in metrics[m].kinds]
            if names:
                found[name] = (role or "", names)
        return found

    def explain(self, table: str) -> str:
        """The programs of all columns in words."""
        of = self.guarded(table)
        found = programs(of)
        if not found:
            todo = "backfill its past runs, or check a run of it first"
            raise ByHistoryError(f"explain {table!r}", "no program for it", todo)
        roles = self.roles(table)
        return "\n".join(explain(p, of.metrics, of.faults, of.learners, roles.get(n, "")) for n, p in found.items())

    def relearn(self, table: str, progress: Progress | None = None) -> dict[str, Program]:
        """Learn again from the stored runs, after a decision changed which of them count."""
        return relearn(self.guarded(table), progress)

    def backtest(self, table: str, budget: float | None = None, progress: Progress | None = None) -> Backtest:
        """Replay the past runs: how many alarms there would have been, and which faults would have been caught.

        `budget` is the share of good runs that may be stopped; by default the configured one.
        """
        of = self.guarded(table)
        of = of if budget is None else replace(of, config=replace(of.config, budget=budget))
        memory = replace(of, config=replace(of.config, window=_ALL_RUNS)).memory()
        return backtest(
            memory,
            of.config,
            current(of, of.memory()),
            decided.overrides(of),
            metrics=of.metrics,
            faults=of.faults,
            learner=of.learner,
            progress=progress,
        )

    def calibrate(
        self, tables: Sequence[str] | None = None, budget: float | None = None, progress: Progress | None = None
    ) -> Calibration:
        """Measure prices on the good runs of some tables (by default all), to be used in place of the shipped ones.

        The `budget` (by default the configured one) is what the old and the new prices are compared at.
        """
        chosen = self.store.tables() if tables is None else tables
        learner = learner_to_calibrate(self.learners)
        return calibrate(self.store, chosen, learner, self.metrics, budget or self.budget, progress=progress)

    def export(self, table: str, to: str, where: str = "") -> Export:
        """What was learned, as files for another tool ("gx", "odcs", "dbt" or "soda"), and what that tool cannot
        express.

        `where` is an SQL condition that selects the rows of one run, for a tool that sees the rows of all runs.
        """
        known = {format_.name: format_ for format_ in FORMATS}
        if to not in known:
            raise ByHistoryError(f"export {table!r} to {to!r}", "no such format", f"name one of {', '.join(known)}")
        return known[to].write(learned_of(self.guarded(table), where))
