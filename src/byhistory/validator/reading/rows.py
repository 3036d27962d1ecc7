"""The rows of a run and of the last good one before it, to say why it was stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from byhistory.config import TableConfig
from byhistory.errors import BadInput
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
    """The rows of a run, and of the last good one before it if they are found in the same place."""
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
        before = _rows(spark, table, last, columns, earlier, has_other_runs=last.path == config.path)
        _ = before.columns if spark is None else before.schema
    except Exception as reason:  # whatever the reason, the stored profile takes its place
        return RunRows(now, notices=(f"run {earlier} could not be read ({type(reason).__name__})",))
    return RunRows(now, before)


def _rows(
    spark: SparkSession | None,
    table: str,
    config: TableConfig,
    columns: tuple[str, ...],
    run: str,
    *,
    has_other_runs: bool = False,
) -> Any:
    """The rows of one run, without the columns that tell runs apart and those that are not measured.

    With `has_other_runs`, the place has rows of other runs, too; it is an error if nothing tells which are whose.
    """
    source = source_of(table, config)
    by = columns if has_other_runs and "{run}" not in config.path + config.where + config.query else ()
    rows = _here(source, config, columns, run, by) if spark is None else _by_spark(spark, source, columns, run, by)
    names = rows.column_names if spark is None else rows.columns
    wanted = [name for name in names if config.wants(name)]
    return rows.select(wanted) if spark is None else rows.select(*(f"`{n.replace('`', '``')}`" for n in wanted))


def _must_tell(there: bool, by: tuple[str, ...], source: Source, run: str) -> None:
    if by and not there:
        raise BadInput(f"find the rows of run {run} in {source.path}", f"no column {','.join(by)!r}", "give its path")


def _here(source: Source, config: TableConfig, columns: tuple[str, ...], run: str, by: tuple[str, ...]) -> Any:
    from byhistory.files.choice import run_in_files
    from byhistory.files.rows import read_rows
    from byhistory.validator.files import read_here

    (path, lines), named = read_here(source), label_in(source.path, columns)
    given = "" if named == run else run  # the path is the run, whatever the column in it says
    chosen = run_in_files(path, columns, given=given, named=named, storage=config.storage, lines=lines)
    _must_tell(chosen.only is not None or bool(chosen.without), by, source, run)
    return read_rows(path, chosen, config.storage, lines)


def _by_spark(spark: SparkSession, source: Source, columns: tuple[str, ...], run: str, by: tuple[str, ...]) -> Any:
    from byhistory.spark.read import only_run, read

    df = read(spark, source)
    is_there = bool(columns) and all(c in df.columns for c in columns)
    _must_tell(is_there, by, source, run)
    if not is_there:
        return df
    return df.drop(*columns) if label_in(source.path, columns) == run else only_run(df, columns, run)
