"""Which tables does Spark's catalog have?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from byhistory.errors import ByHistoryError
from byhistory.files.folders import NO_VALUE
from byhistory.files.found import FoundTable
from byhistory.spark.failure import explained, is_of_spark
from byhistory.spark.lake import FORMATS, versioned
from byhistory.spark.read import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMMITS = 60
"""How many versions of a table are looked at: as many as a backfill brings in, unless a `window` says otherwise."""
_PARTED_BY = "# Partition Information"
_SIZE = re.compile(r"sizeInBytes=([\d.]+)(?:E\+(\d+))? ([KMGTPE]?)i?B")
_UNITS = ("", "K", "M", "G", "T", "P", "E")
_UNKNOWN = 2**50
"""A size of this many bytes or more is Spark's way to say that it does not know (by choice: a petabyte)."""


def tables_in_catalog(spark: SparkSession, place: str = "") -> list[FoundTable]:
    """The tables of a database (`shop`, `lake.shop`), of a catalog (`lake.*`), or of the current catalog, by name.

    Only the catalog and the metadata of tables are asked: no rows are read. Views are left out.
    """
    with explained(f"list the tables of {place or 'the catalog'}"):
        names = [
            f"{database}.{row['tableName']}"
            for database in _databases(spark, place)
            for row in spark.sql(f"SHOW TABLES IN {_quoted(database)}").collect()
            if not row["isTemporary"]
        ]
        found = [table for name in sorted(names) if (table := _found(spark, name)) is not None]
        if not found:
            raise ByHistoryError(f"list the tables of {place or 'the catalog'}", "none", "name another database")
        return found


def _databases(spark: SparkSession, place: str) -> list[str]:
    if not place:
        return [row[0] for row in spark.sql("SHOW DATABASES").collect()]
    if not place.endswith(".*"):
        return [place]
    catalog = place.removesuffix(".*")
    return [f"{catalog}.{row[0]}" for row in spark.sql(f"SHOW NAMESPACES IN {_quoted(catalog)}").collect()]


@dataclass(frozen=True, slots=True)
class Described:
    """What a catalog tells about a table: its type, its format, and the columns by which it is partitioned."""

    type: str
    provider: str
    keys: tuple[str, ...]

    @staticmethod
    def of(rows: list[tuple[str, str]]) -> Described:
        """From the rows of DESCRIBE TABLE EXTENDED.

        >>> rows = [("id", "bigint"), ("ds", "string"), ("# Partition Information", ""), ("# col_name", "data_type")]
        >>> Described.of([*rows, ("ds", "string"), ("", ""), ("Type", "MANAGED"), ("Provider", "parquet")])
        Described(type='MANAGED', provider='parquet', keys=('ds',))
        """
        names = [name.strip() for name, _ in rows]
        begin = names.index(_PARTED_BY) + 1 if _PARTED_BY in names else len(names)
        keys = []
        for name in names[begin:]:
            if not name or (name.startswith("#") and name != "# col_name"):
                break
            keys += [name] if name != "# col_name" else []
        facts = {name.strip(): (value or "").strip() for name, value in rows}
        return Described(facts.get("Type", "").upper(), facts.get("Provider", "").lower(), tuple(keys))


def _found(spark: SparkSession, name: str) -> FoundTable | None:
    """A table, with what can be known about it without reading rows; None for a view."""
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {_quoted(name)}").collect()
    described = Described.of([(row[0], row[1]) for row in rows])
    if described.type == "VIEW":
        return None
    schema = spark.table(_quoted(name)).schema
    dates = tuple(f.name for f in schema if f.dataType.typeName() in ("date", "timestamp", "timestamp_ntz"))
    keys = tuple(key for key in described.keys if key in schema.names)
    runs = _parts(spark, name, described.provider, keys) if keys else ()
    commits = _commits(spark, name) if described.provider in FORMATS else ()
    size = _size(spark, name)
    return FoundTable(name, keys, runs, "", name, size, len(schema), dates, commits)


def _parts(spark: SparkSession, name: str, provider: str, keys: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The values of the partition columns, as they are in the table's metadata."""
    try:
        if provider == "iceberg":
            rows = spark.sql(f"SELECT partition.* FROM {_quoted(name)}.partitions").collect()  # noqa: S608 - quoted
            return tuple(sorted({tuple(_text(row[key]) for key in keys) for row in rows}))
        parts = [row[0] for row in spark.sql(f"SHOW PARTITIONS {_quoted(name)}").collect()]
    except Exception as why:  # a format that lists none
        if not is_of_spark(why):
            raise
        return ()
    split = [dict(piece.split("=", 1) for piece in part.split("/")) for part in parts]
    return tuple(tuple(unquote(one[key]) for key in keys) for one in split)


def _text(value: Any) -> str:
    return NO_VALUE if value is None else str(value)


def _commits(spark: SparkSession, name: str) -> tuple[str, ...]:
    try:
        _, commits = versioned(spark, Source(name=name, catalog=name)).runs(COMMITS)
    except Exception as why:  # a table whose history is closed to us, or an old version of its format
        if not is_of_spark(why) and not isinstance(why, ByHistoryError):
            raise
        return ()
    return tuple(commit.run for commit in commits)


def _size(spark: SparkSession, name: str) -> int | None:
    """The bytes of a table, as Spark estimates for its plans; None if it does not know."""
    (plan,) = spark.sql(f"EXPLAIN COST SELECT * FROM {_quoted(name)}").first() or ("",)  # noqa: S608 - quoted
    return size_in(plan)


def size_in(plan: str) -> int | None:
    """The size in a plan; None for the one that means "unknown".

    >>> size_in("Relation parquet, Statistics(sizeInBytes=12.5 KiB)"), size_in("Statistics(sizeInBytes=8.0 EiB)")
    (12800, None)
    """
    found = _SIZE.search(plan)
    if found is None:
        return None
    number = float(found[1]) * 10 ** int(found[2] or 0) * 1024 ** _UNITS.index(found[3])
    return int(number) if number < _UNKNOWN else None


def _quoted(name: str) -> str:
    return ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))
