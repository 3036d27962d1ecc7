"""Which tables keep their versions, and where do they keep them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.errors import BadInput, ByHistoryError
from byhistory.spark import delta, iceberg
from byhistory.spark.read import Source, format_of, placed
from byhistory.spark.versions import Versioned

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORMATS = ("delta", "iceberg")


def versioned(spark: SparkSession, source: Source) -> Versioned:
    """A Delta or Iceberg table, at a path or in the catalog, with its versions; a clear error for anything else."""
    if source.query or bool(source.path) == bool(source.catalog):
        found = "a query, or no path and no table of the catalog"
        raise ByHistoryError(f"read the versions of {source.name or source}", found, "name a path or a catalog table")
    if source.catalog:
        return _in_catalog(spark, source.catalog)
    path = placed(spark, source.path)
    return iceberg.snapshots_of(spark, path) if _format(source) == "iceberg" else delta.at_path(spark, path)


def keeps_versions(spark: SparkSession, source: Source) -> bool:
    """Whether a source is a table with versions."""
    if source.query:
        return False
    return (_provider(spark, source.catalog)[0] if source.catalog else _format(source)) in FORMATS


def _format(source: Source) -> str:
    return source.format or format_of(source.path)


def _in_catalog(spark: SparkSession, name: str) -> Versioned:
    provider, location = _provider(spark, name)
    if provider == "iceberg":
        return iceberg.snapshots_of(spark, name)
    if provider != "delta":
        found = f"a table of the format {provider or 'that the catalog does not tell'}"
        raise BadInput(f"read the versions of {name}", found, "name a Delta or an Iceberg table")
    try:
        return delta.in_catalog(spark, name)
    except Exception:  # Spark engines that read Delta without DESCRIBE HISTORY each raise an error of their own
        if not location:
            raise
        return delta.at_path(spark, location)


def _provider(spark: SparkSession, name: str) -> tuple[str, str]:
    """The format and the folder of a table in the catalog; empty if it does not tell."""
    facts = {row[0].strip(): row[1] for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()}
    return (facts.get("Provider") or "").strip().lower(), (facts.get("Location") or "").strip()
