"""How are the runs of a table told apart? A guess, for byhistory.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from byhistory.files.folders import NO_VALUE
from byhistory.series.cadence import time_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.files.found import FoundTable
    from byhistory.files.storage import Storage

_HOUR = "hour"
PARTS_OF_TIME = ("year", "month", "day", _HOUR)
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
"""Columns of dates that usually say which run a row belongs to, the likeliest first."""
ENOUGH_COMMITS = 7
"""So many versions that a table's format keeps count as its runs rather than a likely date: as many as it takes to
learn."""
BYTES_A_PROFILE = 4_300
"""What a store needs for one column of one run, all included (docs/reference/store.md)."""
_STEPS = ((0.9, "several a day"), (1.5, "daily"), (6, "every few days"), (8, "weekly"), (27, "every few weeks"))
"""Up to how many days between two runs a rhythm has its name, by choice half-way between the calendar's own steps."""
_MONTH = 32
"""Up to how many days between two runs they are monthly: the longest month has 31."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A table with the columns that tell its runs apart, the labels of its runs, and their rhythm."""

    table: FoundTable
    run_column: str
    labels: tuple[str, ...]
    rhythm: str

    @property
    def group(self) -> str:
        """The pattern for the tables next to it; empty if its name has only one part."""
        above, dot, _ = self.table.name.rpartition(".")
        return f"{above}.*" if dot else ""

    @property
    def history(self) -> int | None:
        """How many bytes its history will take; None if that is not known."""
        width = self.table.width
        return None if width is None or not self.labels else width * len(self.labels) * BYTES_A_PROFILE


def proposed_below(folder: str, storage: Storage) -> list[Proposal]:
    """The proposals for all tables below a folder."""
    from byhistory.files.lake import tables_below

    return [proposed(table) for table in tables_below(folder, storage)]


def proposed_in_catalog(spark: SparkSession, name: str) -> list[Proposal]:
    """The proposals for all tables of a database of Spark's catalog; of all databases if it is called "*"."""
    from byhistory.spark.catalog import tables_in_catalog

    return [proposed(table) for table in tables_in_catalog(spark, "" if name == "*" else name)]


def proposed(table: FoundTable) -> Proposal:
    """The proposal for a table: the partition columns that tell time, else its commits, else a likely date."""
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
    """The label that a backfill gives the run, as in `byhistory.files.folders.label_of`."""
    return values[0] if len(values) == 1 else "-".join(value.rjust(2, "0") for value in values)


def _telling(table: FoundTable) -> list[int]:
    names = [key.lower() for key in table.keys]
    parts = [names.index(part) for part in PARTS_OF_TIME if part in names]
    if len(parts) > 1:
        return parts
    times = [i for i in range(len(names)) if all(time_of(run[i]) for run in table.runs if run[i] != NO_VALUE)]
    hours = [i for i in parts[:1] if names[i] == _HOUR and times and times[0] < i]
    return [*times[:1], *hours] or list(range(len(names)))[:1]


def rhythm(labels: Sequence[str]) -> str:
    """How often runs come, in words, by their labels.

    >>> rhythm(["2026-11-01", "2026-11-02", "2026-11-03"]), rhythm(["2026-11-01", "2026-12-01"]), rhythm(["a", "b"])
    ('daily', 'monthly', 'no calendar')
    """
    times = sorted(at for label in labels if (at := time_of(label)) is not None)
    if len(times) < len(labels) or len(times) < 2:
        return "no calendar"
    days = median((b - a).total_seconds() / 86_400 for a, b in pairwise(times))
    return next((name for most, name in _STEPS if days < most), "monthly" if days < _MONTH else "rarely")
