"""Which tables does Spark's catalog have?"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from byhistory.errors import ByHistoryError
from byhistory.files.found import FoundTable
from byhistory.spark.failure import explained, is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def tables_in_catalog(spark: SparkSession, place: str = "") -> list[FoundTable]:
    """The tables of a database (`shop`, `catalog.shop`), or of all databases if none is named; by name.

    Only what the catalog knows is asked for: no rows are read. Views are left out.
    """
    with explained(f"list the tables of {place or 'the catalog'}"):
        places = [place] if place else [row[0] for row in spark.sql("SHOW DATABASES").collect()]
        names = [
            f"{database}.{row['tableName']}"
            for database in places
            for row in spark.sql(f"SHOW TABLES IN {_quoted(database)}").collect()
            if not row["isTemporary"]
        ]
        if not names:
            raise ByHistoryError(f"list the tables of {place or 'the catalog'}", "none", "name another database")
        return [_found(spark, name) for name in sorted(names)]


def _found(spark: SparkSession, name: str) -> FoundTable:
    schema = spark.table(_quoted(name)).schema
    dates = tuple(f.name for f in schema if f.dataType.typeName() in ("date", "timestamp", "timestamp_ntz"))
    try:
        parts = [row[0] for row in spark.sql(f"SHOW PARTITIONS {_quoted(name)}").collect()]
    except Exception as why:  # a table that is not parted, or a format that lists none
        if not is_of_spark(why):
            raise
        parts = []
    split = [[piece.partition("=") for piece in part.split("/")] for part in parts]
    keys = tuple(column for column, _, _ in split[0]) if split else ()
    runs = tuple(tuple(unquote(value) for _, _, value in one) for one in split)
    return FoundTable(name, keys, runs, catalog=name, width=len(schema), dates=dates)


def _quoted(name: str) -> str:
    return ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))
