"""One line in a job: profile, judge, record, learn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from byhistory import inject, learners
from byhistory.config import Config, read_config
from byhistory.errors import ByHistoryError
from byhistory.export import ALL as FORMATS
from byhistory.export import Export
from byhistory.history import Store, open_store
from byhistory.inject import Fault
from byhistory.learners import Learner, Program
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.plugins import added
from byhistory.profile import Kind, TableProfile
from byhistory.profile.label import checked_label
from byhistory.report.explain import explain
from byhistory.rows.field import Options
from byhistory.series.due import BUDGET as DUE_BUDGET
from byhistory.validator import decided, judging
from byhistory.validator.backtest import Backtest, backtest
from byhistory.validator.calibrate import Calibration, calibrate
from byhistory.validator.decisions import Decisions
from byhistory.validator.due import BACK, DueLine, due
from byhistory.validator.guarded import Guarded, Step, utc_now
from byhistory.validator.judged import Judged
from byhistory.validator.labelled import RUN_COLUMN, without_label
from byhistory.validator.learned import learned_of
from byhistory.validator.learning import Progress, Spread
from byhistory.validator.overrides import Overrides
from byhistory.validator.programs import current, programs, relearn
from byhistory.validator.records import Records

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.spark.read import Source
    from byhistory.verdict import Verdict
    from byhistory.why import Answer


class Validator:
    """Guards tables with a history kept in a store.

    A class because it holds the store open. `store` is a URL (`sqlite:///byhistory.db`, `postgresql://…`, a
    directory) or an open store; `config` is what `byhistory.toml` says, read if not given; `step` sees where time goes.
    `metrics`, `faults` and `learners` are those that come with the package and those that installed packages add
    (`byhistory.plugins`), unless you give your own.

    Here are the verbs of every day. What people say about runs is in `decisions`, what they say about programs in
    `overrides`, and what is kept in `records`.

    >>> from byhistory.rows.local import profile_table
    >>> guard = Validator("memory:", config=Config())
    >>> judged = guard.judge(profile_table({"n": [1, 2, 3]}, run="2026-11-15"), "orders")
    >>> judged.ok, judged.status
    (True, 'learning')
    """

    def __init__(
        self,
        store: str | Store | None = None,
        *,
        config: Config | None = None,
        metrics: Sequence[Metric] | None = None,
        faults: Sequence[Fault] | None = None,
        learners: Sequence[Learner] | None = None,
        clock: Callable[[], datetime] = utc_now,
        step: Step = nullcontext,
    ) -> None:
        self.config = read_config() if config is None else config
        self.store: Store = open_store(store or self.config.store) if isinstance(store, str | None) else store
        self.metrics = _or_all(metrics, ALL_METRICS, "byhistory.metrics")
        self.faults = _or_all(faults, inject.ALL, "byhistory.faults")
        self.learners = _or_all(learners, _LEARNERS, "byhistory.learners")
        self._clock, self._step = clock, step

    def guarded(self, table: str) -> Guarded:
        """A table with all that it is judged with: what the functions of `byhistory.validator` work on."""
        config = self.config.table(table)
        given = (self.metrics, self.faults, self.learners, self._clock, self._step)
        return Guarded(self.store, table, config, *given)

    def now(self) -> datetime:
        """The time that is written beside what is kept."""
        return self._clock()

    def __enter__(self) -> Validator:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    # ----------------------------------------------------------------------------------------------- rooms

    @property
    def decisions(self) -> Decisions:
        """What waits for an answer, and what people say about runs: accept, reject, snooze, undo."""
        return Decisions(self.store, self.guarded)

    @property
    def overrides(self) -> Overrides:
        """What the user decides about programs: mute, pin, set a threshold."""
        return Overrides(self.guarded)

    @property
    def records(self) -> Records:
        """What is kept about tables and runs: list, show, verify, forget."""
        return Records(self.store, self.guarded)

    # ------------------------------------------------------------------------------------------------ runs

    def check(self, df: DataFrame, table: str, run: str, *, shadow: bool | None = None) -> Judged:
        """Profile a DataFrame in one Spark job, judge it by the runs before, and record both."""
        from byhistory.spark import profile

        checked_label(run)
        with self._step("profile"):
            batch = profile(without_label(self, df, table), run=run, **self.profiling(table))
        return self.judge(batch, table, shadow=shadow, spread=Spread(df.sparkSession))

    def check_files(
        self, spark: SparkSession | None, source: Source | str, table: str, run: str, *, shadow: bool | None = None
    ) -> Judged:
        """Profile the files at a path where they lie, judge them by the runs before, and record both.

        In one Spark job, or in this process if there is no session; the profile is that of Spark's reader.
        """
        from byhistory.validator.files import profiled

        checked_label(run)
        with self._step("profile"):
            batch = profiled(spark, source, run, self.config.table(table), self.profiling(table))
        return self.judge(batch, table, shadow=shadow, spread=None if spark is None else Spread(spark))

    def judge_table(self, rows: Any, table: str, run: str, *, shadow: bool | None = None) -> Judged:
        """Profile a table in memory (Arrow, pandas, polars, DuckDB, any PyCapsule), judge it, and record both."""
        from byhistory.rows.local import profile_table

        checked_label(run)
        with self._step("profile"):
            batch = profile_table(rows, run=run, **self.profiling(table))
        return self.judge(batch, table, shadow=shadow)

    def judge(
        self, batch: TableProfile, table: str, *, shadow: bool | None = None, spread: Spread | None = None
    ) -> Judged:
        """Judge a profile by the runs before it, and record it with what was learned for the next.

        With thousands of columns, learning is handed to `spread`.
        """
        return judging.judge(self.guarded(table), batch, shadow=shadow, spread=spread)

    def why(
        self,
        rows: Any,
        verdict: Verdict | Judged,
        *,
        before: Any = None,
        columns: Collection[str] = (),
        prove: bool = True,
    ) -> Answer:
        """Which rows of a run that was stopped or warned about changed, and what they have in common.

        `rows` are those of the run and `before` those of the run before, as DataFrames (one Spark job for a sample of
        both) or as Arrow tables; without `before`, the stored profile stands in. With `prove`, the run is judged again
        without the segment's rows (one job more). Nothing is recorded.
        """
        from byhistory.validator.why import why

        judged = verdict.verdict if isinstance(verdict, Judged) else verdict
        return why(self, rows, judged, before=before, columns=columns, prove=prove)

    def backfill(self, df: DataFrame, table: str, by: str, progress: Progress | None = None) -> list[str]:
        """Profile all runs of a table in one Spark job, keep them as its past, and learn from them.

        The column `by` tells the runs apart and is no data: a `check` leaves it out, too.
        """
        from byhistory.spark import profile_runs

        runs = profile_runs(df, by, **self.profiling(table)).values()
        replaced = self.remember(runs, table, progress, spread=Spread(df.sparkSession))
        self.records.keep(table, RUN_COLUMN, by)
        return replaced

    def backfill_versions(
        self, spark: SparkSession, table: str, path: str = "", *, catalog: str = "", versions: int = 60
    ) -> list[TableProfile]:
        """Profile the last commits of a Delta or Iceberg table as its past runs, and learn from them.

        A run is labelled with the time of its commit. Of a table that grows, a run is what a commit added; of one that
        is written anew, the whole table. A version whose files are gone is an error of the format's own; one that was
        judged already keeps its verdict.
        """
        from byhistory.spark.read import Source
        from byhistory.validator.versions import profiled_versions

        runs = profiled_versions(self, spark, table, Source(path=path, catalog=catalog, name=table), versions)
        self.remember(runs, table, spread=Spread(spark))
        return runs

    def check_version(
        self, spark: SparkSession, table: str, path: str = "", *, catalog: str = "", shadow: bool | None = None
    ) -> Judged:
        """Judge the last commit of a Delta or Iceberg table, labelled with its time, by the commits before it.

        Of a commit that appended, the rows it added; else the whole table. The same commit is not judged twice.
        """
        from byhistory.spark.read import Source
        from byhistory.validator.versions import last_version

        run, rows = last_version(self, spark, table, Source(path=path, catalog=catalog, name=table))
        return self.check(rows, table, run, shadow=shadow)

    def remember(
        self,
        profiles: Iterable[TableProfile],
        table: str,
        progress: Progress | None = None,
        spread: Spread | None = None,
    ) -> list[str]:
        """Keep profiles as past runs, unjudged, and learn from them; the labels of those that replaced a record."""
        return judging.remember(self.guarded(table), profiles, progress, spread)

    def profiling(self, table: str) -> dict[str, Any]:
        """How the configuration wants a table to be profiled, as arguments of `profile` and `profile_runs`."""
        config = self.config.table(table)
        return {
            "kinds": {name: Kind(kind) for name, kind in config.kinds.items()},
            "include": config.include,
            "exclude": config.exclude,
            "options": Options(self.store.key(), config.keep_values),
        }

    def due(self, tables: Sequence[str] | None = None, budget: float = DUE_BUDGET, back: int = BACK) -> list[DueLine]:
        """What is late or missing in some tables (all, if none are named), and what each expects next."""
        return due(self.store, self.now(), tables, budget, back)

    # -------------------------------------------------------------------------------------------- programs

    def programs(self, table: str) -> dict[str, Program]:
        """What the next run will be judged by: the learned programs with the user's overrides."""
        return programs(self.guarded(table))

    def explain(self, table: str) -> str:
        """The programs of all columns in words."""
        found = self.programs(table)
        if not found:
            todo = "backfill its past runs, or check a run of it first"
            raise ByHistoryError(f"explain {table!r}", "no program for it", todo)
        return "\n".join(explain(p, self.metrics, self.faults, self.learners) for p in found.values())

    def export(self, table: str, to: str, where: str = "") -> Export:
        """What was learned, in the words of another tool ("gx", "odcs", "dbt", "soda"), and what cannot be said there.

        `where` is the condition in SQL for the rows of one run, where that tool sees a table of many.
        """
        known = {format_.name: format_ for format_ in FORMATS}
        if to not in known:
            raise ByHistoryError(f"export {table!r} to {to!r}", "no such format", f"name one of {', '.join(known)}")
        return known[to].write(learned_of(self.guarded(table), where))

    def relearn(self, table: str, progress: Progress | None = None) -> dict[str, Program]:
        """Learn again from what is kept, after a decision changed what there is to learn from."""
        return relearn(self.guarded(table), progress)

    def backtest(self, table: str, budget: float | None = None, progress: Progress | None = None) -> Backtest:
        """Replay the past runs: how many alarms there would have been, and what would be caught."""
        of = self.guarded(table)
        of = of if budget is None else replace(of, config=replace(of.config, budget=budget))
        memory = replace(of, config=replace(of.config, window=_ALL_RUNS)).memory()
        return backtest(
            memory,
            of.config,
            current(of, of.memory()),
            decided.overrides(of),
            metrics=self.metrics,
            faults=self.faults,
            learner=of.learner,
            progress=progress,
        )

    def calibrate(
        self, tables: Sequence[str] | None = None, budget: float | None = None, progress: Progress | None = None
    ) -> Calibration:
        """Measure prices on the good runs of some tables (all, if none are named) in place of the shipped ones."""
        chosen = self.store.tables() if tables is None else tables
        return calibrate(self.store, chosen, self.metrics, budget or self.config.defaults.budget, progress)


_LEARNERS = learners.ALL
_ALL_RUNS = 10_000
"""A backtest looks at so many runs: all that anybody has, of 27 years of days."""


def _or_all(given: Sequence[Any] | None, ours: tuple[Any, ...], group: str) -> tuple[Any, ...]:
    """What the user gives, or ours and what installed packages add."""
    if given is not None:
        return tuple(given)
    others = added(group)
    return (*ours, *others) if others else ours
