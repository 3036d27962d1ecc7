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
    directory) or an open store; `config` is what `byhistory.toml` says, read if not given; `step` sees where time goes.
    `metrics`, `faults` and `learners` are those that come with the package and those that installed packages add
    (`byhistory.plugins`), unless you give your own.

    Here are the verbs of every day. What people say about runs is in `decisions`, what was learned from them in
    `learning`, what people say about that in `overrides`, what is kept in `records`; and `sources` reads tables from
    where the configuration says that they are.

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
        config = with_kept_budget(self.config.table(table), self.store, table)
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
    def learning(self) -> Learning:
        """What was learned: programs, in words and for other tools; learn again, replay the past, measure prices."""
        return Learning(self.store, self.guarded, self.metrics, self.config.defaults.budget)

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
        """Tables that are read from where they lie: check, backfill, and the rows of a run."""
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
                batch = profile_table(local, run=run, **self.profiling(table))
            return self.judge(batch, table, shadow=shadow)
        from byhistory.spark import profile

        with self._step("profile"):
            batch = profile(without_label(self, rows, table), run=run, **self.profiling(table))
        return self.judge(batch, table, shadow=shadow, spread=Spread(rows.sparkSession))

    def check_files(
        self, spark: SparkSession | None, path: str, table: str, run: str = "", *, shadow: bool | None = None
    ) -> Judged:
        """The same for files at a path, read where they lie: in one Spark job, or without a session in this process.

        The run is the one that is named, or the one that the path names (`ds=2026-11-15`).
        """
        return self.sources.check(table, spark, path=path, run=run, shadow=shadow)

    def judge_table(self, rows: Any, table: str, run: str, *, shadow: bool | None = None) -> Judged:
        """`check` by the name that it has for tables in memory."""
        return self.check(rows, table, run, shadow=shadow)

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
        """Profile the last commits of a Delta or Iceberg table as its past runs, and learn from them."""
        return self.sources.backfill_versions(table, spark, path, catalog=catalog, versions=versions)

    def remember(
        self,
        profiles: Iterable[TableProfile],
        table: str,
        progress: Progress | None = None,
        spread: Spread | None = None,
    ) -> list[str]:
        """Keep profiles as past runs, unjudged, and learn from them; the labels of those that replaced a record."""
        return judging.remember(self.guarded(table), profiles, progress, spread)

    def profiling(self, table: str) -> Asked:
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


_LEARNERS = learners.ALL


def _or_all(given: Sequence[Any] | None, ours: tuple[Any, ...], group: str) -> tuple[Any, ...]:
    """What the user gives, or ours and what installed packages add."""
    if given is not None:
        return tuple(given)
    others = added(group)
    return (*ours, *others) if others else ours
