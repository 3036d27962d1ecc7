"""A table that somebody might want guarded: what can be known of it without reading rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundTable:
    """Its name, the columns that its rows are parted by, and the values of these that there are.

    `path` or `catalog` says where it is; `bytes` and `width` (columns) are None where nobody tells. `dates` are columns
    of dates among the rows, for a table that is not parted, `commits` the labels of the versions that its format keeps.
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
