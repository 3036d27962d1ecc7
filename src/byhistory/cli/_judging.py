"""One table, one run: read, profile, judge, record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from byhistory.cli._label import label_in
from byhistory.cli._progress import spark_working, working
from byhistory.cli._reading import source_of
from byhistory.cli._say import note, word
from byhistory.errors import ByHistoryError
from byhistory.validator.labelled import run_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.profile import TableProfile
    from byhistory.spark.read import Source
    from byhistory.validator import Judged, Validator
    from byhistory.validator.learning import Spread

_TOLD = 3


def judged(
    spark: SparkSession | None,
    guard: Validator,
    table: str,
    watch: Stopwatch,
    *,
    latest: bool = False,
    shadow: bool | None = None,
    spread: Spread | None = None,
) -> Judged:
    """Judge the run of a table that its configuration leads to, and record it; without a session, of local files.

    Learning goes to the session's workers as `spread` says; without it, from thousands of columns on.
    """
    from byhistory.validator.learning import Spread

    if spark is not None and spread is None:
        spread = Spread(spark)
    config = guard.config.table(table)
    columns = run_columns(guard, table)
    source = source_of(table, config)
    batch = (
        _read_here(guard, table, source, columns, watch, latest)
        if spark is None
        else _read_by_spark(spark, guard, table, source, columns, watch, latest)
    )
    run = batch.run
    if not batch.rows and config.run and columns:
        _explain_nothing(guard, table, source, columns, run)
    for notice in batch.notices:
        note(f"{word(table)}: {word(notice)}")
    if guard.records.has_run(table, run):
        note(f"{word(table)}: run {word(run)} was recorded before; this record replaces it")
    with working(f"judging {word(table)}"):
        return guard.judge(replace(batch, notices=()), table, shadow=shadow, spread=spread)


def _read_here(
    guard: Validator, table: str, source: Source, columns: tuple[str, ...], watch: Stopwatch, latest: bool
) -> TableProfile:
    """The profile of one run, whose files are read in this process."""
    from byhistory.files.choice import run_in_files
    from byhistory.validator.files import local_path, profiled

    config = guard.config.table(table)
    with watch("read"):
        path, named = local_path(source), label_in(source.path, columns)
        run, only = run_in_files(path, columns, given=config.run, named=named, latest=latest, storage=config.storage)
        if not run:
            raise _no_label(source, columns)
    with working(f"profiling {word(table)}"), watch("profile"):
        how = guard.profiling(table)
        return profiled(None, source, run, config, how, only=only, tell=partial(watch.ways.__setitem__, table))


def _read_by_spark(
    spark: SparkSession,
    guard: Validator,
    table: str,
    source: Source,
    columns: tuple[str, ...],
    watch: Stopwatch,
    latest: bool,
) -> TableProfile:
    """The profile of one run, in one Spark job: of the files themselves where they can be read directly."""
    from byhistory.spark import profile
    from byhistory.spark.failure import explained
    from byhistory.spark.read import read
    from byhistory.validator.files import profiled
    from byhistory.validator.versions import last_version

    config, how = guard.config.table(table), guard.profiling(table)
    tell = partial(watch.ways.__setitem__, table)
    with explained(f"read {source}"), spark_working(spark, f"profiling {word(table)}"):
        with watch("read"):
            whole = read(spark, source)
            if _is_told_by_version(spark, whole, source, columns, config.run):
                run, written = last_version(guard, spark, table, source)
                tell("rows come through Spark's reader: they are those of the last commit")
                return profile(written, run=run, **how)
            rows = _one_run(whole, source, columns, config.run, latest)
        with watch("profile"):
            if rows.dropped:
                tell("rows come through Spark's reader: the files have the columns that name the run")
                return profile(whole.drop(*rows.dropped), run=rows.run, **how)
            return profiled(spark, source, rows.run, config, how, only=rows.only, frame=whole, tell=tell)


def _is_told_by_version(
    spark: SparkSession, df: DataFrame, source: Source, columns: tuple[str, ...], given: str
) -> bool:
    """Whether nothing but the table's own last commit says which run this is."""
    from byhistory.spark.lake import keeps_versions

    is_in_rows = bool(columns) and all(c in df.columns for c in columns)
    return not (given or label_in(source.path, columns) or is_in_rows) and keeps_versions(spark, source)


@dataclass(frozen=True, slots=True)
class _OneRun:
    """Which rows are of one run: its label, the columns and label that choose them, the columns to be left out."""

    run: str
    only: tuple[tuple[str, ...], str] | None = None
    dropped: tuple[str, ...] = ()


def _one_run(df: DataFrame, source: Source, columns: tuple[str, ...], given: str, latest: bool) -> _OneRun:
    """The rows of one run, without the columns that say which, and its label."""
    from byhistory.spark.read import labels_in, single_label

    in_path = label_in(source.path, columns)
    is_in_rows = bool(columns) and all(c in df.columns for c in columns)
    if not is_in_rows:
        run = given or in_path
        if not run:
            raise _no_label(source, columns)
        return _OneRun(run)
    if given:
        return _OneRun(given, (columns, given))
    if in_path:  # the path is the run, whatever the column in it says
        return _OneRun(in_path, dropped=columns)
    run = labels_in(df, columns)[-1] if latest else single_label(df, columns, source)
    return _OneRun(run, (columns, run))


def _no_label(source: Source, columns: tuple[str, ...]) -> ByHistoryError:
    found = "no key=value part in the path that names the run, as ds=2026-11-15 does"
    if columns:
        found += f", and no column {','.join(columns)!r} among the rows"
    return ByHistoryError(
        f"check {source}", found, "name the run with --run, or the column that tells with --run-column"
    )


def _explain_nothing(guard: Validator, table: str, source: Source, columns: tuple[str, ...], run: str) -> None:
    last = ", ".join(line.run for line in guard.records.runs(table)[-_TOLD:])
    raise ByHistoryError(
        f"check run {run!r} of {table!r} in {source}",
        f"no row whose {','.join(columns)} is that" + (f" (the last runs on record are {last})" if last else ""),
        "see whether the run was written, and how its label is spelled",
    )
