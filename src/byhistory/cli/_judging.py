"""One table, one run: read, profile, judge, record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from byhistory.cli._label import label_in
from byhistory.cli._progress import spark_working, working
from byhistory.cli._reading import run_columns, source_of
from byhistory.cli._say import note, word
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.spark.read import Source
    from byhistory.validator import Validator
    from byhistory.verdict import Verdict

_TOLD = 3


def judged(
    spark: SparkSession,
    guard: Validator,
    table: str,
    watch: Stopwatch,
    *,
    latest: bool = False,
    shadow: bool | None = None,
) -> Verdict:
    """Judge the run of a table that its configuration leads to, and record it."""
    from byhistory.spark import profile
    from byhistory.spark.failure import explained

    config = guard.config.table(table)
    columns = run_columns(table, config, guard.store)
    source = source_of(table, config)
    with explained(f"read {source}"), spark_working(spark, f"profiling {word(table)}"):
        with watch("read"):
            df, run = _one_run(spark, source, columns, config.run, latest)
        with watch("profile"):
            batch = profile(df, run=run, **guard.profiling(table))
    if not batch.rows and config.run and columns:
        _explain_nothing(guard, table, source, columns, run)
    for notice in batch.notices:
        note(f"{word(table)}: {word(notice)}")
    if any(line.run == run for line in guard.store.runs(table)):
        note(f"{word(table)}: run {word(run)} was recorded before; this record replaces it")
    with working(f"judging {word(table)}"):
        return guard.judge(replace(batch, notices=()), table, shadow=shadow)


def _one_run(
    spark: SparkSession, source: Source, columns: tuple[str, ...], given: str, latest: bool
) -> tuple[DataFrame, str]:
    """The rows of one run, without the columns that say which, and its label."""
    from byhistory.spark.read import labels_in, only_run, read, single_label

    in_path = label_in(source.path, columns)
    df = read(spark, source)
    is_in_rows = bool(columns) and all(c in df.columns for c in columns)
    if not is_in_rows:
        run = given or in_path
        if not run:
            raise _no_label(source, columns)
        return df, run
    if given:
        return only_run(df, columns, given), given
    if in_path:  # the path is the run, whatever the column in it says
        return df.drop(*columns), in_path
    run = labels_in(df, columns)[-1] if latest else single_label(df, columns, source)
    return only_run(df, columns, run), run


def _no_label(source: Source, columns: tuple[str, ...]) -> ByHistoryError:
    found = "no key=value part in the path that names the run, as ds=2026-11-15 does"
    if columns:
        found += f", and no column {','.join(columns)!r} among the rows"
    return ByHistoryError(
        f"check {source}", found, "name the run with --run, or the column that tells with --run-column"
    )


def _explain_nothing(guard: Validator, table: str, source: Source, columns: tuple[str, ...], run: str) -> None:
    last = ", ".join(line.run for line in guard.store.runs(table)[-_TOLD:])
    raise ByHistoryError(
        f"check run {run!r} of {table!r} in {source}",
        f"no row whose {','.join(columns)} is that" + (f" (the last runs on record are {last})" if last else ""),
        "see whether the run was written, and how its label is spelled",
    )
