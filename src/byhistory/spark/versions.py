"""The versions that Delta keeps of a table: a past that nobody had to keep."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal

from byhistory.errors import BadInput

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Way = Literal["append", "overwrite", "none"]
"""What a commit did: added rows, made the table anew (or changed rows of it), or left the rows as they were."""
_DELTA: dict[str, Way] = {
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


@dataclass(frozen=True, slots=True)
class Version:
    """One commit of a table. `before` is the version it was made from."""

    id: int
    at: datetime
    way: Way
    before: int | None

    @property
    def run(self) -> str:
        """The label of the run: when it was committed, in UTC."""
        return self.at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


@dataclass(frozen=True, slots=True)
class Versioned:
    """A table that keeps its versions: `read` gives the rows of one, `added` what one added."""

    name: str
    versions: tuple[Version, ...]
    """Oldest first."""
    read: Callable[[Version], DataFrame]
    added: Callable[[Version], DataFrame]

    def runs(self, last: int) -> tuple[Way, list[Version]]:
        """How this table is written, and its last commits of that kind.

        A commit of another kind (a repair of a table that grows) would be a run unlike all others.
        """
        changes = [v for v in self.versions if v.way != "none"]
        ways = Counter(v.way for v in changes if v.before is not None) or Counter(v.way for v in changes)
        way: Way = ways.most_common(1)[0][0] if ways else "none"
        # The first commit made the table and added all of it: it is of either kind.
        chosen = [v for v in changes if v.way == way or v.before is None]
        by_label = {version.run: version for version in chosen}  # of two commits within a second, the later
        return way, list(by_label.values())[-last:]

    def rows(self, version: Version, way: Way) -> DataFrame:
        """The rows that a commit is judged by: what it added, or the whole table."""
        return self.added(version) if way == "append" and version.before is not None else self.read(version)


def versioned(spark: SparkSession, path: str) -> Versioned:
    """A Delta table at a path with its versions.

    By the table's own log, JSON beside the data, which every Spark can read, also one without DESCRIBE HISTORY.
    """
    files = spark.read.format("binaryFile").load(f"{path.rstrip('/')}/_delta_log/*.json").select("path", "content")
    commits = [found for row in files.collect() if (found := _from_log(row["path"], bytes(row["content"]))) is not None]
    if not commits:
        raise BadInput(f"read the versions of {path!r}", "no Delta log there", "name the folder of a Delta table")

    def read(version: int | None) -> DataFrame:
        return spark.read.format("delta").option("versionAsOf", str(version)).load(path)

    return Versioned(
        path,
        _delta_versions(commits),
        lambda v: read(v.id),
        lambda v: _difference(read(v.id), read(v.before)),
    )


_Commit = tuple[int, float, str, dict[str, Any]]


def _from_log(path: str, content: bytes) -> _Commit | None:
    """What one file of the log says of its commit; its name is the version, in twenty digits.

    >>> _from_log("t/_delta_log/00000000000000000007.json", b'{"commitInfo":{"timestamp":9000,"operation":"WRITE"}}')
    (7, 9.0, 'WRITE', {})
    """
    number = path.rpartition("/")[2].removesuffix(".json")
    told = next((line for line in content.splitlines() if line.startswith(b'{"commitInfo"')), None)
    if told is None or not number.isdigit():
        return None
    info = json.loads(told)["commitInfo"]
    return int(number), info["timestamp"] / 1000, info["operation"], info.get("operationParameters") or {}


def _delta_versions(commits: Sequence[_Commit]) -> tuple[Version, ...]:
    ordered = sorted(commits, key=lambda commit: commit[0])
    found = []
    for place, (number, at, operation, parameters) in enumerate(ordered):
        way = _DELTA.get(operation, "none")
        if operation == "WRITE":
            way = "append" if str(parameters.get("mode", "")).lower() == "append" else "overwrite"
        elif operation == "CREATE TABLE" and place == 0:
            way = "overwrite"  # a first write is told so by some writers
        found.append(Version(int(number), _utc(at), way, ordered[place - 1][0] if place else None))
    return tuple(found)


def _difference(now: DataFrame, before: DataFrame) -> DataFrame:
    """The rows that are there more often than before."""
    return now.exceptAll(before)


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(float(seconds), timezone.utc)
