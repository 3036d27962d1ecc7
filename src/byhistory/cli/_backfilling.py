"""The past runs of one table, or of all: profiled, kept, learned from."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import typer

from byhistory.cli._fleet import SPREAD_FROM, Done, Pace, chosen, side_by_side
from byhistory.cli._progress import counting, spark_working, working
from byhistory.cli._reading import source_of
from byhistory.cli._say import note, plural, say, word
from byhistory.cli._say import table as as_table
from byhistory.cli._settings import configuration, opened
from byhistory.errors import ByHistoryError
from byhistory.files.pattern import RUN, labels_below
from byhistory.validator.labelled import RUN_COLUMN, run_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.profile import TableProfile
    from byhistory.spark.read import Source
    from byhistory.validator import Validator
    from byhistory.validator.learning import Spread

BACKFILLED = "backfilled"
"""The setting that is kept when a table is brought in as a whole, so that `backfill --all` can go on where it was."""


@dataclass(frozen=True, slots=True)
class Past:
    """What was brought in: the profiles by run, and the labels of those that replaced a record."""

    profiles: dict[str, TableProfile]
    replaced: list[str]

    @property
    def rows(self) -> int:
        """Of all runs."""
        return sum(p.rows for p in self.profiles.values())


def brought_in(
    spark: SparkSession | None, guard: Validator, table: str, watch: Stopwatch, spread: Spread | None = None
) -> Past:
    """Profile every past run of a table where its configuration leads to, keep them, and learn from them."""
    from byhistory.validator.learning import Spread

    if spark is not None and spread is None:
        spread = Spread(spark)
    entry = guard.config.table(table)
    by = run_columns(guard, table)
    if RUN in entry.path:
        by, source = (), entry.path
        profiles = _profiled_by_path(spark, guard, table, watch)
    else:
        whole = source_of(table, entry)
        source = str(whole)
        if not by:
            todo = "name it, such as --run-column ds, or put {run} into the path (in/{run}.csv)"
            raise ByHistoryError(f"backfill {table!r}", "no column that tells its runs apart", todo)
        profiles = _profiled(spark, guard, table, whole, by, watch)
    if not profiles:
        raise ByHistoryError(
            f"backfill {table!r} from {source}", "no rows", "see whether the path and --where are right"
        )
    for notice in dict.fromkeys(notice for profile in profiles.values() for notice in profile.notices):
        note(f"{word(table)}: {word(notice)}")
    for line in _in_some_runs(profiles):
        note(f"{word(table)}: {line}")
    with counting("learning", "columns") as progress, watch("learn"):
        replaced = guard.remember(profiles.values(), table, progress, spread)
    if by:
        guard.records.keep(table, RUN_COLUMN, ",".join(by))  # so that a check knows that it is no data
    guard.records.keep(table, BACKFILLED, plural(len(profiles), "run"))
    return Past(profiles, replaced)


_TOLD = 8


def _in_some_runs(profiles: Mapping[str, TableProfile]) -> list[str]:
    """A line for each column that not every run has."""
    had: dict[str, list[str]] = {}
    for run, profile in profiles.items():
        for name in profile.columns:
            had.setdefault(name, []).append(run)
    some = {name: runs for name, runs in had.items() if len(runs) < len(profiles)}
    lines = [
        f"column {word(repr(name))} is in {len(runs):,} of {len(profiles):,} runs, {word(runs[0])} to {word(runs[-1])}"
        for name, runs in some.items()
    ]
    rest = len(lines) - _TOLD
    return lines if rest <= 0 else [*lines[:_TOLD], f"and {plural(rest, 'other column')} that not every run has"]


def _profiled(
    spark: SparkSession | None,
    guard: Validator,
    table: str,
    source: Source,
    by: tuple[str, ...],
    watch: Stopwatch,
) -> dict[str, TableProfile]:
    """The profiles of all runs, by Spark or in this process."""
    from byhistory.spark.failure import explained
    from byhistory.validator.files import profiled_runs

    config, how = guard.config.table(table), guard.profiling(table)
    tell = partial(watch.ways.__setitem__, table)
    if spark is None:
        with working("profiling all runs"), watch("profile"):
            return profiled_runs(None, source, by, config, how, tell=tell)
    with explained(f"read {source}"), spark_working(spark, "profiling all runs"), watch("profile"):
        return profiled_runs(spark, source, by, config, how, tell=tell)


def _profiled_by_path(
    spark: SparkSession | None, guard: Validator, table: str, watch: Stopwatch
) -> dict[str, TableProfile]:
    """The profiles of the runs whose paths fit, one after the other: each has the columns of its own files."""
    from byhistory.spark.failure import explained
    from byhistory.validator.files import profiled

    config, how = guard.config.table(table), guard.profiling(table)
    tell = partial(watch.ways.__setitem__, table)
    if spark is None:
        labels = labels_below(config.path.replace("{table}", table), config.storage)
    else:
        from byhistory.spark.read import labels_read

        with explained(f"list {config.path}"):
            labels = labels_read(spark, config.path.replace("{table}", table))
    found: dict[str, TableProfile] = {}
    with counting("profiling", "runs") as progress, watch("profile"):
        for done, label in enumerate(labels, 1):
            source = source_of(table, replace(config, run=label))
            with explained(f"read {source}"):
                found[label] = profiled(spark, source, label, config, how, tell=tell)
            progress(done, len(labels))
    return found


def backfill_all(ctx: typer.Context, watch: Stopwatch, names: str, tag: str, *, again: bool, pace: Pace) -> int:
    """Bring in every table that is not in yet, side by side; the exit code is 2 if one could not be."""
    from byhistory.cli._all import session_for
    from byhistory.cli._program import COULD_NOT_RUN

    config = configuration(ctx)
    tables = chosen(config, "backfill --all", names, tag)
    if pace.at_once > 1:
        watch.cpu = time.thread_time
    with opened(ctx, config, make=True, step=watch) as guard:
        there = set() if again else {t for t in tables if guard.records.kept(t, BACKFILLED) is not None}
        left = [t for t in tables if t not in there]
        if there:
            note(f"{plural(len(there), 'table')} brought in before, {len(left):,} left (--again does all of them anew)")
        spark = session_for(ctx, replace(config, tables={t: config.tables[t] for t in left}), watch) if left else None
        done = side_by_side(left, partial(_one, spark, guard, watch), "backfilling", guard.now, pace)
    failed = [one for one in done if one.error is not None]
    if failed:
        say(as_table(["table", "could not run"], [(one.table, _said(one)) for one in failed]))
    runs, rows = (sum(one.value[i] for one in done if one.value is not None) for i in (0, 1))
    said = f"{plural(len(done) - len(failed), 'table')} with {plural(runs, 'run')} of {plural(rows, 'row')}"
    ending = f"; could not run: {plural(len(failed), 'table')}, the same command goes on with them" if failed else ""
    say(f"backfilled: {said}{ending}")
    return COULD_NOT_RUN if failed else 0


def _one(spark: SparkSession | None, guard: Validator, watch: Stopwatch, table: str) -> tuple[int, int]:
    """The runs and rows of one table: its profiles are let go, ten thousand tables of them would fill the memory."""
    from byhistory.validator.learning import Spread

    session = None if guard.config.table(table).engine == "local" else spark
    past = brought_in(session, guard, table, watch, None if session is None else Spread(session, SPREAD_FROM))
    return len(past.profiles), past.rows


def _said(one: Done[tuple[int, int]]) -> str:
    assert one.error is not None  # noqa: S101 - asked of those that failed
    return f"{one.error.found}; to go on: {one.error.todo}"
