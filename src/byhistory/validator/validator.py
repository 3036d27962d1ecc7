"""One line in a job: profile, judge, record, learn."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from byhistory import inject, learners
from byhistory.alarms import Alarm
from byhistory.config import Config, read_config
from byhistory.errors import ByHistoryError
from byhistory.export import ALL as FORMATS
from byhistory.export import Export
from byhistory.history import RunLine, Store, TableLine, open_store
from byhistory.history.verify import Soundness, verify
from byhistory.inject import Fault
from byhistory.learners import Learner, Override, Program
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.plugins import added
from byhistory.profile import Kind, TableProfile, from_bytes
from byhistory.profile.label import checked_label
from byhistory.report.explain import explain
from byhistory.rows.field import Options
from byhistory.series.due import BUDGET as DUE_BUDGET
from byhistory.validator import decided, judging
from byhistory.validator.again import again
from byhistory.validator.backtest import Backtest, backtest
from byhistory.validator.calibrate import Calibration, calibrate
from byhistory.validator.column import ColumnPicture, column_picture
from byhistory.validator.due import BACK, DueLine, due
from byhistory.validator.found import found_in
from byhistory.validator.guarded import Guarded, Step, utc_now
from byhistory.validator.inbox import Waiting, waiting
from byhistory.validator.judged import Judged
from byhistory.validator.learned import learned_of
from byhistory.validator.learning import Progress, Spread
from byhistory.validator.preview import Preview, preview
from byhistory.validator.programs import current, programs, relearn
from byhistory.validator.standing import Standing, standing
from byhistory.validator.story import story_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.report import Story
    from byhistory.spark.read import Source
    from byhistory.verdict import Verdict
    from byhistory.why import Answer


class Validator:
    """Guards tables with a history kept in a store.

    A class because it holds the store open. `store` is a URL (`sqlite:///byhistory.db`, `postgresql://…`, a
    directory) or an open store; `config` is what `byhistory.toml` says, read if not given; `step` sees where time goes.
    `metrics`, `faults` and `learners` are those that come with the package and those that installed packages add
    (`byhistory.plugins`), unless you give your own.

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

    # ------------------------------------------------------------------------------------------------ runs

    def check(self, df: DataFrame, table: str, run: str, *, shadow: bool | None = None) -> Judged:
        """Profile a DataFrame in one Spark job, judge it by the runs before, and record both."""
        from byhistory.spark import profile

        checked_label(run)
        with self._step("profile"):
            batch = profile(df, run=run, **self.profiling(table))
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
        """Profile all runs of a table in one Spark job, keep them as its past, and learn from them."""
        from byhistory.spark import profile_runs

        runs = profile_runs(df, by, **self.profiling(table)).values()
        return self.remember(runs, table, progress, spread=Spread(df.sparkSession))

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

    # ----------------------------------------------------------------------------------------- what is kept

    @property
    def where(self) -> str:
        """Where the history is kept, for people: without a password."""
        return repr(self.store)

    def tables(self) -> list[str]:
        """The tables that there is a history of."""
        return self.store.tables()

    def overview(self) -> list[TableLine]:
        """The same with the first and the last run of each."""
        return self.store.overview()

    def learned_runs(self, table: str) -> tuple[RunLine, ...]:
        """The runs that the next one is judged by, oldest first."""
        return self.guarded(table).memory().runs

    def verify(self, progress: Progress | None = None) -> Soundness:
        """Read the whole store: what is as it was written, and what is damaged."""
        return verify(self.store, progress)

    def forget(self, table: str, run: str) -> bool:
        """Delete a run and the decisions on it for good; whether there was one."""
        return self.store.forget(table, run)

    def runs(self, table: str) -> list[RunLine]:
        """The runs of a table, oldest first, each with what it was judged to be and what was decided about it."""
        return self.store.runs(table)

    def has_run(self, table: str, run: str) -> bool:
        """Whether a run is on record; a list of all would take as long as there are runs."""
        return bool(self.store.load(table, [run], ()))

    def found_in(self, table: str) -> dict[str, tuple[str, ...]]:
        """The columns in which something was found, for every run that was warned of or stopped."""
        return found_in(self.store, table)

    def profile_of(self, table: str, run: str, columns: Sequence[str] | None = None) -> TableProfile:
        """The kept profile of a run."""
        found = self.store.load(table, [run], columns)
        if not found:
            raise ByHistoryError(f"show run {run!r} of {table!r}", "no such run", "name one that `runs` lists")
        return TableProfile(run, found[0].rows, {n: from_bytes(b) for n, b in found[0].columns.items()})

    def story(self, table: str, run: str | None = None, show_values: bool = False) -> Story:
        """A kept run (the latest, if none is named) with its verdict and its past, for `byhistory.report` to show."""
        return story_of(self.guarded(table), run, show_values)

    def column(self, table: str, column: str, metric: str | None = None, last: int | None = None) -> ColumnPicture:
        """A metric of a column over its last runs, or over all, with what is usual and what became of each run."""
        return column_picture(self.guarded(table), column, metric, last)

    def due(self, tables: Sequence[str] | None = None, budget: float = DUE_BUDGET, back: int = BACK) -> list[DueLine]:
        """What is late or missing in some tables (all, if none are named), and what each expects next."""
        return due(self.store, self.now(), tables, budget, back)

    def keep(self, table: str, name: str, text: str, *, who: str = "") -> None:
        """Let a named text about a table hold from now on, such as the column that tells its runs apart."""
        self.guarded(table).keep(name, text, who)

    def kept(self, table: str, name: str) -> str | None:
        """The text of that name; None if there is none."""
        setting = self.store.settings(table).get(name)
        return None if setting is None else setting.text

    # ------------------------------------------------------------------------------------------- decisions

    def accept(
        self,
        table: str,
        run: str,
        *,
        why: str = "",
        who: str = "",
        usual: bool = False,
        new_normal: bool = False,
        columns: Sequence[str] = (),
    ) -> None:
        """Say that a run was fine. It is forgiven: what was found in it neither widens nor shifts what is usual.

        With `usual` it may happen again, and is learned from. With `new_normal` the columns (those found unusual, if
        none are named) have a new level from there on, with the spread that they had.
        """
        if usual and new_normal:
            todo = "say one: it may happen again, or it is how things are from now on"
            raise ByHistoryError(f"accept the run {run!r} of {table!r}", "both usual and new normal", todo)
        what = "new normal" if new_normal else "usual" if usual else "accept"
        self._decide(table, run, what, columns=columns, why=why, who=who)

    def reject(self, table: str, run: str, *, why: str = "", who: str = "") -> None:
        """Say that a run was bad, whatever it was judged to be, so that it is not learned from."""
        self._decide(table, run, "reject", why=why, who=who)

    def snooze(self, table: str, run: str, until: str, *, why: str = "", who: str = "") -> None:
        """Let the alarms of a run stop nothing up to the run labelled `until`; they are still told."""
        self._decide(table, run, "snooze", until=until, why=why, who=who)

    def undo(self, table: str, run: str, *, why: str = "", who: str = "") -> None:
        """Take back what was said last about a run."""
        self._decide(table, run, "undo", why=why, who=who)

    def _decide(self, table: str, run: str, what: str, **said: Any) -> None:
        decided.decide(self.guarded(table), run, what, **said)
        self.relearn(table)

    def again(self, table: str, run: str) -> Verdict:
        """What would be said of a kept run if its data came again as the next one; nothing is recorded.

        After an answer it tells what will pass from now on.
        """
        return again(self.guarded(table), run)

    def alarms(self, table: str) -> tuple[Alarm, ...]:
        """Every alarm of a table in the order in which they opened, with what became of each."""
        return self.guarded(table).memory().alarms

    def inbox(self, tables: Sequence[str] | None = None, *, ended: bool = False) -> list[Waiting]:
        """The alarms that wait for an answer, over all tables; with `ended` also those that went away unanswered."""
        chosen = self.tables() if tables is None else tables
        return [w for table in chosen for w in waiting(self.guarded(table), ended=ended)]

    def standing(self, table: str) -> Standing:
        """How a table stands: its last runs, its alarms, and what is due."""
        return standing(self.guarded(table))

    def preview(self, table: str, run: str, what: str, *, columns: Sequence[str] = (), until: str = "") -> Preview:
        """What would change if somebody said this about a run ("accept", "new normal", "undo", …); nothing is kept."""
        return preview(self.guarded(table), run, what, columns=columns, until=until)

    def overrides(self, table: str) -> list[Override]:
        """What the user decided about programs: in the configuration first, then by command, which wins."""
        return decided.overrides(self.guarded(table))

    def mute(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Judge a column without a metric from now on; `column="*"` for all."""
        decided.override(self.guarded(table), Override(column, metric, mute=True), who)

    def set_threshold(
        self, table: str, column: str, metric: str, low: float = -math.inf, high: float = math.inf, *, who: str = ""
    ) -> None:
        """Hold a metric within ends of the user's own, whatever is learned."""
        decided.override(self.guarded(table), Override(column, metric, low=low, high=high), who)

    def pin(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Keep the clause on a metric as it is today, whatever is learned later."""
        clause = decided.clause_to_pin(self.programs(table).get(column), column, metric)
        decided.override(self.guarded(table), clause, who)

    def clear_override(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Undo mute, pin and threshold for a metric of a column."""
        decided.clear(self.guarded(table), column, metric, who)

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
        chosen = self.tables() if tables is None else tables
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
