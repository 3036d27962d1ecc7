"""The rows of a run and of the last good one before it, to say why it was stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from byhistory.config import TableConfig
from byhistory.validator.labelled import run_columns
from byhistory.validator.reading.label import label_in
from byhistory.validator.reading.source import source_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.spark.read import Source
    from byhistory.validator.validator import Validator


@dataclass(frozen=True, slots=True, eq=False)
class RunRows:
    """The rows of a run (`now`), and of the last good run `before` it; None if those cannot be found at the same
    source.

    They are DataFrames if Spark reads them, else Arrow tables. `notices` say what could not be read.
    """

    now: Any
    before: Any = None
    notices: tuple[str, ...] = ()


def rows_of_run(guard: Validator, spark: SparkSession | None, table: str, run: str) -> RunRows:
    """The rows of a run, and of the last good one before it if they are found where its own are."""
    from byhistory.validator.why import run_before

    config = replace(guard.config.table(table), run=run)
    columns = run_columns(guard, table)
    now = _rows(spark, table, config, columns, run)
    earlier = run_before(guard, table, run)
    if not earlier:
        return RunRows(now)
    last = replace(config, run=earlier, path=config.path.replace(run, earlier))
    if last.path == config.path and not columns and "{run}" not in config.path + config.where + config.query:
        return RunRows(now)
    try:
        before = _rows(spark, table, last, columns, earlier)
        _ = before.columns if spark is None else before.schema
    except Exception as reason:  # whatever keeps it from being read, the stored profile stands in
        return RunRows(now, notices=(f"run {earlier} could not be read ({type(reason).__name__})",))
    return RunRows(now, before)


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
    from byhistory.validator.files import read_here

    (path, lines), named = read_here(source), label_in(source.path, columns)
    given = "" if named == run else run  # the path is the run, whatever the column in it says
    _, only = run_in_files(path, columns, given=given, named=named, storage=config.storage)
    return read_rows(path, only, config.storage, lines)


def _by_spark(spark: SparkSession, source: Source, columns: tuple[str, ...], run: str) -> Any:
    from byhistory.spark.read import only_run, read

    df = read(spark, source)
    if not columns or not all(c in df.columns for c in columns):
        return df
    return df.drop(*columns) if label_in(source.path, columns) == run else only_run(df, columns, run)
