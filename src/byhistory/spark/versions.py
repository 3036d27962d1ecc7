"""The versions that a table's format keeps: a past that nobody had to record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WriteMode = Literal["append", "overwrite", "none"]
"""What a commit did: added rows, rewrote the table (or changed some of its rows), or left the rows as they were."""


@dataclass(frozen=True, slots=True)
class Version:
    """One commit of a table. `before` is the version it was made from."""

    id: int
    at: datetime
    mode: WriteMode
    before: int | None
    place: int = 0
    """Its place among the commits of the same second."""

    @property
    def run(self) -> str:
        """The label of the run: when it was committed, in UTC; to the second, for the first of that second."""
        at = self.at.astimezone(timezone.utc)
        second = at.strftime("%Y-%m-%dT%H:%M:%S")
        return second if not self.place else f"{second}.{at.microsecond // 1000:03}"


@dataclass(frozen=True, slots=True)
class Versioned:
    """A table that keeps its versions: `read` gives the rows of a version, `added` those that it added."""

    name: str
    versions: tuple[Version, ...]
    """Oldest first; the last one is what readers see."""
    read: Callable[[Version], DataFrame]
    added: Callable[[Version], DataFrame]

    def runs(self, last: int) -> tuple[WriteMode, list[Version]]:
        """How this table is usually written, and its last commits of that kind.

        A commit of another kind (a repair of a table that grows) would be a run unlike all others.
        """
        changes = [v for v in self.versions if v.mode != "none"]
        modes = Counter(v.mode for v in changes if v.before is not None) or Counter(v.mode for v in changes)
        mode: WriteMode = modes.most_common(1)[0][0] if modes else "none"
        # The first commit made the table and added all of it, so it is of either kind.
        chosen = [v for v in changes if v.mode == mode or v.before is None]
        by_label = {version.run: version for version in chosen}  # the later of two commits within a millisecond
        return mode, list(by_label.values())[-last:]

    def rows(self, version: Version, mode: WriteMode) -> DataFrame:
        """The rows that a commit is judged by: what it added, or the whole table."""
        return self.added(version) if mode == "append" and version.before is not None else self.read(version)

    def last(self) -> Version | None:
        """The commit that wrote what readers see now; maintenance after it (a compaction) changed no rows."""
        return next((v for v in reversed(self.versions) if v.mode != "none"), None)


def placed(versions: Iterable[Version]) -> tuple[Version, ...]:
    """Versions, oldest first, numbered within their second, so that no two have the same label.

    >>> at = datetime(2026, 11, 15, 3, 0, tzinfo=timezone.utc)
    >>> later = at.replace(microsecond=250_000)
    >>> [v.run for v in placed([Version(1, at, "append", None), Version(2, later, "append", 1)])]
    ['2026-11-15T03:00:00', '2026-11-15T03:00:00.250']
    """
    seen: Counter[datetime] = Counter()
    found = []
    for version in versions:
        second = version.at.replace(microsecond=0)
        found.append(replace(version, place=seen[second]))
        seen[second] += 1
    return tuple(found)


def utc(seconds: float) -> datetime:
    """A time from seconds since 1970."""
    return datetime.fromtimestamp(float(seconds), timezone.utc)
