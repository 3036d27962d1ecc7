"""The files of a source to profiles, by Spark or in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.files import local
from byhistory.profile import TableProfile
from byhistory.rows.how import Asked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.spark.read import Source

LOCALLY = "files are read in this process: the engine is local"

Tell = Callable[[str], None]


def silent(_: str) -> None:
    """For those who do not want to hear which way was taken."""


def profiled(
    spark: SparkSession | None,
    source: Source | str,
    run: str,
    config: TableConfig,
    how: Asked,
    *,
    only: tuple[Sequence[str], str] | None = None,
    frame: DataFrame | None = None,
    tell: Tell = silent,
) -> TableProfile:
    """One run of a source; without a session, its files are read here. `tell` hears which way was taken and why."""
    from byhistory.spark.read import Source  # not above: the workers that learn have no driver's side of Spark

    source = Source(path=source) if isinstance(source, str) else source
    if spark is None:
        tell(LOCALLY)
        return local.profile_files(local_path(source), run=run, only=only, storage=config.storage, **how)
    from byhistory.spark.files import profile_files

    return profile_files(spark, source, run=run, only=only, storage=config.storage, frame=frame, tell=tell, **how)


def profiled_runs(
    spark: SparkSession | None,
    source: Source,
    by: Sequence[str],
    config: TableConfig,
    how: Asked,
    *,
    tell: Tell = silent,
) -> dict[str, TableProfile]:
    """All runs of a source, told apart by some columns."""
    if spark is None:
        tell(LOCALLY)
        return local.profile_run_files(local_path(source), by, storage=config.storage, **how)
    from byhistory.spark.files import profile_run_files

    return profile_run_files(spark, source, by, storage=config.storage, tell=tell, **how)


def local_path(source: Source) -> str:
    """The path of a source that can be read in this process; a clear error for what only Spark reads."""
    from byhistory.spark.read import format_of

    format_ = source.format or format_of(source.path) if source.path else ""
    only_spark = {
        "a query": source.query,
        "a table of the catalog": source.catalog,
        "a condition (where)": source.where,
        "a schema": source.schema,
        "options for a reader": source.options,
        f"files of {format_}": format_ not in ("", "parquet"),
    }
    found = next((what for what, there in only_spark.items() if there), "" if source.path else "no path")
    if found:
        raise ByHistoryError(
            f"read {source} in this process", found, "read it with Spark: leave --engine local out, or say spark"
        )
    return source.path
