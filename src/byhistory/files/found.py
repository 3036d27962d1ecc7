"""A table that somebody may want to guard: what can be known about it without reading rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundTable:
    """The name of a table, the columns by which it is partitioned (`keys`), and their values in each run.

    `path` or `catalog` says where it is; `bytes` and `width` (columns) are None if unknown. `dates` are columns of
    dates among the rows, if it is not partitioned, and `commits` the labels of the versions that its format keeps.
    """

    name: str
    keys: tuple[str, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ()
    path: str = ""
    catalog: str = ""
    bytes: int | None = None
    width: int | None = None
    dates: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
