"""How are the runs of a table that was found told apart? A guess, for byhistory.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from byhistory.files.folders import NO_VALUE
from byhistory.series.cadence import time_of

if TYPE_CHECKING:
    from byhistory.files.found import FoundTable

PARTS_OF_TIME = ("year", "month", "day", "hour")
LIKELY = (
    "ds",
    "dt",
    "date",
    "day",
    "run_date",
    "load_date",
    "event_date",
    "partition_date",
    "order_date",
    "created_at",
)
"""Columns of dates that usually say which run a row is of, the likeliest first."""
ENOUGH_COMMITS = 7
"""Versions that a table's format keeps, from which on they are its runs rather than dates that may be: as many as are
learned from at least."""
BYTES_A_PROFILE = 4_300
"""What a store needs for a column of a run, all included (docs/reference/store.md)."""
_STEPS = ((0.9, "several a day"), (1.5, "daily"), (6, "every few days"), (8, "weekly"), (27, "every few weeks"))
"""Days between two runs up to which they are called so, halfway between the calendar's own steps, by choice."""
_MONTH = 32
"""And a month, the longest of which has 31 days."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A table with the columns that tell its runs apart, the labels of those that there are, and their rhythm."""

    table: FoundTable
    run_column: str
    labels: tuple[str, ...]
    rhythm: str

    @property
    def group(self) -> str:
        """The pattern of the tables that it stands with; empty if its name has one part."""
        above, dot, _ = self.table.name.rpartition(".")
        return f"{above}.*" if dot else ""

    @property
    def history(self) -> int | None:
        """Bytes that its history will take; None if that cannot be known."""
        width = self.table.width
        return None if width is None or not self.labels else width * len(self.labels) * BYTES_A_PROFILE


def proposed(table: FoundTable) -> Proposal:
    """The run columns: those that tell time among the ones that the rows are parted by, else a likely date."""
    places = _telling(table)
    if places:
        rows = [[run[i] for i in places] for run in table.runs]
        labels = tuple(sorted({_label(row) for row in rows if NO_VALUE not in row}))
        return Proposal(table, ",".join(table.keys[i] for i in places), labels, rhythm(labels))
    if len(table.commits) >= ENOUGH_COMMITS:
        return Proposal(table, "", table.commits, rhythm(table.commits))
    lower = {name.lower(): name for name in table.dates}
    guess = next((lower[name] for name in LIKELY if name in lower), table.dates[0] if len(table.dates) == 1 else "")
    if not guess and table.commits:
        return Proposal(table, "", table.commits, rhythm(table.commits))
    return Proposal(table, guess, (), "")


def _label(values: Sequence[str]) -> str:
    """As a backfill labels the run: `byhistory.files.folders.label_of`."""
    return values[0] if len(values) == 1 else "-".join(value.rjust(2, "0") for value in values)


def _telling(table: FoundTable) -> list[int]:
    names = [key.lower() for key in table.keys]
    parts = [names.index(part) for part in PARTS_OF_TIME if part in names]
    if len(parts) > 1:
        return parts
    times = [i for i in range(len(names)) if all(time_of(run[i]) for run in table.runs if run[i] != NO_VALUE)]
    return times[:1] or list(range(len(names)))[:1]


def rhythm(labels: Sequence[str]) -> str:
    """How often runs come, in words, by their labels.

    >>> rhythm(["2026-11-01", "2026-11-02", "2026-11-03"]), rhythm(["2026-11-01", "2026-12-01"]), rhythm(["a", "b"])
    ('daily', 'monthly', 'no calendar')
    """
    times = sorted(at for label in labels if (at := time_of(label)) is not None)
    if len(times) < len(labels) or len(times) < 2:
        return "no calendar"
    days = median((b - a).total_seconds() / 86_400 for a, b in pairwise(times))
    return next((said for least, said in _STEPS if days < least), "monthly" if days < _MONTH else "rarely")
