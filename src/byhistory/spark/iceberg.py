"""The snapshots of an Iceberg table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from byhistory.errors import BadInput
from byhistory.spark.versions import Version, Versioned, WriteMode, placed, utc

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MAIN = "main"
"""The branch that readers see."""
_MODES: dict[str, WriteMode] = {"append": "append", "overwrite": "overwrite", "delete": "overwrite", "replace": "none"}
"""What a snapshot did, in Iceberg's words; "replace" is a compaction, with the same rows."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot as the table's metadata has it."""

    id: int
    parent: int | None
    at: datetime
    operation: str


def snapshots_of(spark: SparkSession, name: str, branch: str = MAIN) -> Versioned:
    """An Iceberg table, by its name in a catalog or its path, with the snapshots of one of its branches."""
    inner = "#" if "/" in name else "."

    def metadata(part: str, *columns: str) -> list[Any]:
        return spark.read.format("iceberg").load(f"{name}{inner}{part}").selectExpr(*columns).collect()

    heads = dict(metadata("refs", "name", "snapshot_id"))
    # A number, because a time that is passed to Python becomes one in the driver's zone.
    rows = metadata("snapshots", "snapshot_id", "parent_id", "unix_micros(committed_at)", "operation")
    known = [Snapshot(number, parent, utc(at / 1e6), operation or "") for number, parent, at, operation in rows]
    if known and branch not in heads and branch != MAIN:
        found = f"the branches {', '.join(sorted(heads))}"
        raise BadInput(f"read the branch {branch!r} of {name}", found, "name one of them")

    def read(**options: int | None) -> DataFrame:
        reader = spark.read.format("iceberg")
        for option, value in options.items():
            reader = reader.option(option.replace("_", "-"), str(value))
        return reader.load(name)

    return Versioned(
        name,
        versions_of(known, heads, branch),
        lambda v: read(snapshot_id=v.id),
        lambda v: read(start_snapshot_id=v.before, end_snapshot_id=v.id),  # reads only the files of the append
    )


def versions_of(known: Iterable[Snapshot], heads: Mapping[str, int], branch: str = MAIN) -> tuple[Version, ...]:
    """The past of a branch, oldest first.

    It is the chain of parents of the branch's head. `CREATE OR REPLACE TABLE` cuts that chain, though the snapshots
    before it are still there and are part of the table's past. What was written to another branch and left there, or
    rolled back, is not: it branches off the chain.
    """
    by_id = {snapshot.id: snapshot for snapshot in known}
    ordered = sorted(by_id.values(), key=lambda s: s.at)
    used: set[int] = set()
    elsewhere = {i for name, head in heads.items() if name != branch for i in _line(by_id, head)}
    head = heads.get(branch)
    chain = [] if head is None else _line(by_id, head)
    while chain:
        used |= set(chain)
        first = by_id[chain[-1]]
        if first.parent is not None and first.parent not in by_id:
            break  # what was before has expired
        roots = {_line(by_id, i)[-1] for i in used}
        cut = [s for s in ordered if s.at < first.at and s.id not in elsewhere and _line(by_id, s.id)[-1] not in roots]
        chain = _line(by_id, cut[-1].id) if cut else []
    versions: list[Version] = []
    for snapshot in (s for s in ordered if s.id in used):
        is_made_anew = snapshot.parent is None and bool(versions)
        mode = "overwrite" if is_made_anew else _MODES.get(snapshot.operation, "overwrite")
        if mode == "append" and not versions and snapshot.parent is not None:
            mode = "none"  # the snapshot before it has expired: what it added is not known
        versions.append(Version(snapshot.id, snapshot.at, mode, versions[-1].id if versions else None))
    return placed(versions)


def _line(by_id: Mapping[int, Snapshot], head: int) -> list[int]:
    """A snapshot and its parents, as far as they are known."""
    found: list[int] = []
    at: int | None = head
    while at is not None and at in by_id:
        found.append(at)
        at = by_id[at].parent
    return found
