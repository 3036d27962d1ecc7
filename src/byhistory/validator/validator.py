"""One line in a job: profile, judge, record, learn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Any

from byhistory import inject, learners
from byhistory.config import Config, read_config
from byhistory.history import Store, open_store
from byhistory.inject import Fault
from byhistory.learners import Learner
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.plugins import added
from byhistory.profile import Kind, TableProfile
from byhistory.profile.label import checked_label
from byhistory.rows.field import Options
from byhistory.rows.how import Asked
from byhistory.series.due import BUDGET as DUE_BUDGET
from byhistory.validator import judging
from byhistory.validator.budgets import with_kept_budget
from byhistory.validator.due import BACK, DueLine, due
from byhistory.validator.guarded import Guarded, Step, utc_now
from byhistory.validator.judged import Judged
from byhistory.validator.labelled import RUN_COLUMN, without_label
from byhistory.validator.learning import Progress, Spread
from byhistory.validator.rooms import Decisions, Learning, Overrides, Records, Sources

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.verdict import Verdict
    from byhistory.why import Answer


class Validator:
    """Guards tables with a history kept in a store.

    A class because it holds the store open. `store` is a URL (`sqlite:///byhistory.db`, `postgresql://…`, a
    directory) or an open store. `config` is the content of `byhistory.toml`, which is read if none is given. `step` is
    called with the name of each step of the work, and returns a context manager that can time it. `metrics`, `faults`
    and `learners` are by default those of the package and of installed plug-ins (`byhistory.plugins`).

    The methods here are those of every day. `decisions` is what people say about runs, `learning` what was learned from
    runs, `overrides` what people change about that, `records` what is stored; and `sources` reads tables from where
    the configuration says they are.

    In all of them `table` is the name of a table's history, and `run` the label of a run. `progress` is called with how
    many things are done, and of how many. `spread` hands the learning of tables with thousands of columns to Spark.

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
        """A table with its settings and all that is needed to judge it, for the functions of `byhistory.validator`."""
        config = with_kept_budget(self.config.table(table), self.store, table)
        given = (self.metrics, self.faults, self.learners, self._clock, self._step)
        return Guarded(self.store, table, config, *given)

    def now(self) -> datetime:
        """The time that new records are stamped with."""
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
    def learning(self) -> Learning:
        """What was learned: programs, in words and for other tools; learn again, replay the past, measure prices."""
        defaults = self.config.defaults
        by_default_first = sorted(self.learners, key=lambda learner: learner.name != defaults.learner)
        return Learning(self.store, self.guarded, self.metrics, tuple(by_default_first), defaults.budget)

    @property
    def overrides(self) -> Overrides:
        """What the user decides about programs: mute, pin, set a threshold."""
        return Overrides(self.guarded)

    @property
    def records(self) -> Records:
        """What is kept about tables and runs: list, show, verify, forget."""
        return Records(self.store, self.guarded)

    @property
    def sources(self) -> Sources:
        """Tables read from where they are stored: check, backfill, and the rows of a run."""
        return Sources(self)

    # ------------------------------------------------------------------------------------------------ runs

    def check(self, rows: Any, table: str, run: str, *, shadow: bool | None = None) -> Judged:
        """Profile rows, judge them by the runs before, and record both.

        `rows` are a DataFrame of Spark, which is profiled in one job, or a table in memory: Arrow, pandas, polars,
        DuckDB, or anything with the Arrow PyCapsule interface. With `shadow` the verdict never stops anything.
        """
        checked_label(run)
        if not hasattr(rows, "sparkSession"):
            from byhistory.rows.local import as_arrow, profile_table

            with self._step("profile"):
                local = without_label(self, as_arrow(rows), table)
                measured = profile_table(local, run=run, **self.profiling(table))
            return self.judge(measured, table, shadow=shadow)
        from byhistory.spark import profile

        with self._step("profile"):
            measured = profile(without_label(self, rows, table), run=run, **self.profiling(table))
        return self.judge(measured, table, shadow=shadow, spread=Spread(rows.sparkSession))

    def check_files(
        self, spark: SparkSession | None, path: str, table: str, run: str = "", *, shadow: bool | None = None
    ) -> Judged:
        """Like `check`, for the files at a path: read in one Spark job, or in this process if `spark` is None.

        Without a `run`, the path has to name it (`ds=2026-11-15`).
        """
        return self.sources.check(table, spark, path=path, run=run, shadow=shadow)

    def judge_table(self, rows: Any, table: str, run: str, *, shadow: bool | None = None) -> Judged:
        """Another name of `check`, for tables in memory."""
        return self.check(rows, table, run, shadow=shadow)

    def judge(
        self, profile: TableProfile, table: str, *, shadow: bool | None = None, spread: Spread | None = None
    ) -> Judged:
        """Judge a profile by the runs before it, and record it with the programs learned for the next run."""
        with self.store.snapshot():  # one question where each is a request
            of, settings = self.guarded(table), self.store.settings(table)
        return judging.judge(of, profile, settings=settings, shadow=shadow, spread=spread)

    def why(
        self,
        rows: Any,
        verdict: Verdict | Judged,
        *,
        before: Any = None,
        columns: Collection[str] = (),
        prove: bool = True,
    ) -> Answer:
        """Say which rows of a run caused it to be stopped or warned about, and what they have in common.

        The question is about a `verdict`. `rows` are the rows of its run, and `before` those of the run before, as
        DataFrames (one Spark job samples both) or as Arrow tables. Without `before`, the stored profile of that run
        takes its place. `columns` limits the question to some columns. With `prove`, the run is judged again without
        the rows that were found (one more job). Nothing is recorded.
        """
        from byhistory.validator.why import why

        judged = verdict.verdict if isinstance(verdict, Judged) else verdict
        return why(self, rows, judged, before=before, columns=columns, prove=prove)

    def backfill(self, df: DataFrame, table: str, by: str, progress: Progress | None = None) -> list[str]:
        """Profile all runs of a table in one Spark job, keep them as its past, and learn from them.

        `df` has the rows of all runs, which the column `by` tells apart. It is not judged, and the rows given to
        `check` later must not have it.
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

        It is the table at a `path`, or of the `catalog` by its name there; `versions` is how many commits to go back.
        """
        return self.sources.backfill_versions(table, spark, path, catalog=catalog, versions=versions)

    def remember(
        self,
        profiles: Iterable[TableProfile],
        table: str,
        progress: Progress | None = None,
        spread: Spread | None = None,
    ) -> list[str]:
        """Store profiles as past runs without judging them, and learn from them.

        They have to be made with `**guard.profiling(table)`, as all runs of a table: under another key, every text of
        the next run is a new one. Returns the labels of the runs whose earlier record was replaced.
        """
        return judging.remember(self.guarded(table), profiles, progress, spread)

    def profiling(self, table: str) -> Asked:
        """How to profile a table as configured: keyword arguments of `profile_table`, `profile` and `profile_runs`."""
        config = self.config.table(table)
        return {
            "kinds": {name: Kind(kind) for name, kind in config.kinds.items()},
            "include": config.include,
            "exclude": config.exclude,
            "options": Options(self.store.key(), config.keep_values),
        }

    def due(self, tables: Sequence[str] | None = None, budget: float = DUE_BUDGET, back: int = BACK) -> list[DueLine]:
        """What is late or missing in some tables (by default all), and which run each expects next.

        `budget` is how often a good run may be called late, as a share of runs; `back` is how far to look back
        for skipped runs, in runs of the calendar.
        """
        return due(self.store, self.now(), tables, budget, back)


_LEARNERS = learners.ALL


def _or_all(given: Sequence[Any] | None, ours: tuple[Any, ...], group: str) -> tuple[Any, ...]:
    """What the user gives; else ours, and what installed packages add."""
    if given is not None:
        return tuple(given)
    others = added(group)
    return (*ours, *others) if others else ours
