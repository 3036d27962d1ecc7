"""The versions of a Delta table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from byhistory.errors import BadInput
from byhistory.spark.versions import Version, Versioned, WriteMode, placed, utc

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MODES: dict[str, WriteMode] = {
    "STREAMING UPDATE": "append",
    "COPY INTO": "append",
    "CREATE TABLE AS SELECT": "overwrite",
    "CREATE OR REPLACE TABLE AS SELECT": "overwrite",
    "REPLACE TABLE AS SELECT": "overwrite",
    "MERGE": "overwrite",
    "UPDATE": "overwrite",
    "DELETE": "overwrite",
    "RESTORE": "overwrite",
}
"""Operations other than WRITE that change rows; all others (OPTIMIZE, VACUUM, new columns) do not."""

_Commit = tuple[int, float, str, dict[str, Any]]


def at_path(spark: SparkSession, path: str) -> Versioned:
    """A Delta table at a path with its versions.

    They are read from the table's own log, JSON next to the data, which any Spark can, even without DESCRIBE HISTORY.
    """
    files = spark.read.format("binaryFile").load(f"{path.rstrip('/')}/_delta_log/*.json").select("path", "content")
    commits = [found for row in files.collect() if (found := _from_log(row["path"], bytes(row["content"]))) is not None]
    if not commits:
        raise BadInput(f"read the versions of {path!r}", "no Delta log there", "name the folder of a Delta table")

    def read(version: int | None) -> DataFrame:
        return spark.read.format("delta").option("versionAsOf", str(version)).load(path)

    return _versioned(path, commits, read)


def in_catalog(spark: SparkSession, name: str) -> Versioned:
    """A Delta table of the catalog, by its name alone: if a catalog guards its tables, their folders are closed."""
    history = spark.sql(f"DESCRIBE HISTORY {name}").select("version", "timestamp", "operation", "operationParameters")
    commits = [
        (row["version"], row["timestamp"].timestamp(), row["operation"], dict(row["operationParameters"] or {}))
        for row in history.collect()
    ]

    def read(version: int | None) -> DataFrame:
        return spark.sql(f"SELECT * FROM {name} VERSION AS OF {version}")  # noqa: S608 - the user's own table

    return _versioned(name, commits, read)


def _versioned(name: str, commits: Sequence[_Commit], read: Callable[[int | None], DataFrame]) -> Versioned:
    return Versioned(
        name,
        _versions(commits),
        lambda v: read(v.id),
        # An append only adds: what is there more often than before is what it added.
        lambda v: read(v.id).exceptAll(read(v.before)),
    )


def _from_log(path: str, content: bytes) -> _Commit | None:
    """The commit in one file of the log, whose name is the version, in twenty digits.

    >>> _from_log("t/_delta_log/00000000000000000007.json", b'{"commitInfo":{"timestamp":9000,"operation":"WRITE"}}')
    (7, 9.0, 'WRITE', {})
    """
    number = path.rpartition("/")[2].removesuffix(".json")
    line = next((line for line in content.splitlines() if line.startswith(b'{"commitInfo"')), None)
    if line is None or not number.isdigit():
        return None
    info = json.loads(line)["commitInfo"]
    return int(number), info["timestamp"] / 1000, info["operation"], info.get("operationParameters") or {}


def _versions(commits: Sequence[_Commit]) -> tuple[Version, ...]:
    ordered = sorted(commits, key=lambda commit: commit[0])
    found = []
    for place, (number, at, operation, parameters) in enumerate(ordered):
        mode = _MODES.get(operation, "none")
        if operation == "WRITE":
            mode = "append" if str(parameters.get("mode", "")).lower() == "append" else "overwrite"
        elif operation == "CREATE TABLE" and place == 0:
            mode = "overwrite"  # some writers call a first write an overwrite
        if mode == "append" and number and not place:
            mode = "none"  # the log before it was cleaned up: what it added is not known
        found.append(Version(int(number), utc(at), mode, ordered[place - 1][0] if place else None))
    return placed(found)
