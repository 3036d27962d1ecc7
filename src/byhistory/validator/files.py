"""Profile the files of a source, by Spark or in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.files import local
from byhistory.files.lines import Lines, lines_of
from byhistory.profile import TableProfile
from byhistory.rows.how import Asked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.spark.here import Here
    from byhistory.spark.read import Source

LINES = ("csv", "json")
LOCALLY = "files are read in this process: the engine is local"

Tell = Callable[[str], None]


def silent(_: str) -> None:
    """Ignore the line that says which way was taken."""


def profiled(
    spark: SparkSession | None,
    source: Source | str,
    run: str,
    config: TableConfig,
    how: Asked,
    *,
    only: tuple[Sequence[str], str] | None = None,
    without: Sequence[str] = (),
    frame: DataFrame | None = None,
    here: Here | None = None,
    tell: Tell = silent,
) -> TableProfile:
    """The profile of one run of a source; without a session its files are read here. `tell` gets the way, and why."""
    from byhistory.spark.read import Source  # not above: the workers that learn have no driver's side of Spark

    source = Source(path=source) if isinstance(source, str) else source
    if spark is None:
        tell(LOCALLY)
        path, lines = read_here(source)
        return local.profile_files(
            path, run=run, only=only, without=without, storage=config.storage, lines=lines, **how
        )
    from byhistory.spark.files import profile_files

    return profile_files(
        spark,
        source,
        run=run,
        only=only,
        without=without,
        storage=config.storage,
        frame=frame,
        here=here,
        tell=tell,
        **how,
    )


def profiled_runs(
    spark: SparkSession | None,
    source: Source,
    by: Sequence[str],
    config: TableConfig,
    how: Asked,
    *,
    tell: Tell = silent,
) -> dict[str, TableProfile]:
    """The profiles of all runs of a source, told apart by some columns."""
    if spark is None:
        tell(LOCALLY)
        path, lines = read_here(source)
        return local.profile_run_files(path, by, storage=config.storage, lines=lines, **how)
    from byhistory.spark.files import profile_run_files

    return profile_run_files(spark, source, by, storage=config.storage, tell=tell, **how)


def read_here(source: Source) -> tuple[str, Lines | None]:
    """The path of a source that can be read in this process, and how its lines are read if it is not Parquet.

    A source that only Spark can read is an error that says so.
    """
    from byhistory.spark.read import format_of, with_defaults

    format_ = source.format or format_of(source.path) if source.path else ""
    lines, against = lines_of(format_, with_defaults(format_, source)) if format_ in LINES else (None, "")
    only_spark = {
        "a query": source.query,
        "a table of the catalog": source.catalog,
        "a condition (where)": source.where,
        "a schema": source.schema,
        "options for a reader": source.options and format_ not in LINES,
        f"files of {format_}": format_ not in ("", "parquet", *LINES),
        against: against,
    }
    found = next((what for what, there in only_spark.items() if there), "" if source.path else "no path")
    if found:
        raise ByHistoryError(
            f"read {source} in this process", found, "read it with Spark: leave --engine local out, or say spark"
        )
    return source.path, lines
