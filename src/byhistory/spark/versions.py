"""The versions that a table's format keeps of it: a past that nobody had to keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Way = Literal["append", "overwrite", "none"]
"""What a commit did: added rows, made the table anew (or changed rows of it), or left the rows as they were."""


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
    """Oldest first; the last one is what readers see."""
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

    def last(self) -> Version | None:
        """The commit that wrote what readers see now; maintenance after it (a compaction) changed no rows."""
        return next((v for v in reversed(self.versions) if v.way != "none"), None)


def utc(seconds: float) -> datetime:
    """A time that a format gives in seconds."""
    return datetime.fromtimestamp(float(seconds), timezone.utc)
