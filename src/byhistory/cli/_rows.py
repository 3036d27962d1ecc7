"""The rows of a run and of the last good one before it, to say why it was stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from byhistory.cli._label import label_in
from byhistory.cli._progress import working
from byhistory.cli._reading import source_of
from byhistory.cli._say import note, word
from byhistory.errors import ByHistoryError
from byhistory.validator.labelled import run_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.config import TableConfig
    from byhistory.spark.read import Source
    from byhistory.validator import Judged, Validator
    from byhistory.why import Answer


def reasons(spark: SparkSession | None, guard: Validator, judged: Judged) -> Answer | None:
    """Why a run that was just judged is not as usual; None, and a word about it, if that cannot be said.

    The verdict stands whatever becomes of this.
    """
    table, run = judged.table, judged.run
    try:
        now, before = runs_of(spark, guard, table, run)
        with working(f"asking why {word(table)} {word(run)}"):
            return guard.why(now, judged, before=before)
    except Exception as reason:
        found = reason.found if isinstance(reason, ByHistoryError) else type(reason).__name__
        note(f"{word(table)}: why run {word(run)} is not as usual could not be said ({word(found)})")
        return None


def runs_of(spark: SparkSession | None, guard: Validator, table: str, run: str) -> tuple[Any, Any]:
    """The rows of a run, and of the last good one before it if they are found where its own are."""
    from byhistory.validator.why import run_before

    config = replace(guard.config.table(table), run=run)
    columns = run_columns(guard, table)
    now = _rows(spark, table, config, columns, run)
    earlier = run_before(guard, table, run)
    if not earlier:
        return now, None
    last = replace(config, run=earlier, path=config.path.replace(run, earlier))
    if last.path == config.path and not columns and "{run}" not in config.path + config.where + config.query:
        return now, None
    try:
        before = _rows(spark, table, last, columns, earlier)
        _ = before.columns if spark is None else before.schema
    except Exception as reason:  # whatever keeps it from being read, the stored profile stands in
        note(f"{word(table)}: run {word(earlier)} could not be read ({type(reason).__name__})")
        return now, None
    return now, before


def _rows(spark: SparkSession | None, table: str, config: TableConfig, columns: tuple[str, ...], run: str) -> Any:
    """The rows of one run, without the columns that say which and those that the table is not measured by."""
    source = source_of(table, config)
    rows = _here(source, config, columns, run) if spark is None else _by_spark(spark, source, columns, run)
    names = rows.column_names if spark is None else rows.columns
    wanted = [name for name in names if config.wants(name)]
    return rows.select(wanted) if spark is None else rows.select(*(f"`{n.replace('`', '``')}`" for n in wanted))


def _here(source: Source, config: TableConfig, columns: tuple[str, ...], run: str) -> Any:
    from byhistory.files.choice import run_in_files
    from byhistory.files.rows import read_rows
    from byhistory.validator.files import local_path

    path, named = local_path(source), label_in(source.path, columns)
    given = "" if named == run else run  # the path is the run, whatever the column in it says
    _, only = run_in_files(path, columns, given=given, named=named, storage=config.storage)
    return read_rows(path, only, config.storage)


def _by_spark(spark: SparkSession, source: Source, columns: tuple[str, ...], run: str) -> Any:
    from byhistory.spark.read import only_run, read

    df = read(spark, source)
    if not columns or not all(c in df.columns for c in columns):
        return df
    return df.drop(*columns) if label_in(source.path, columns) == run else only_run(df, columns, run)
