"""Which runs are late or missing, over all tables of a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from byhistory.alarms.cause import arrived_from_json
from byhistory.history import RunLine, Store
from byhistory.series.due import BUDGET, Arrival, Schedule, schedule

State = Literal["late", "missing", "expected", "not known yet"]
BACK = 7
"""How many of the last places of a calendar are searched for runs that never came, by choice: a week of days."""


@dataclass(frozen=True, slots=True)
class DueLine:
    """One run of a table that is late, never came, or is expected next; `state` says which.

    `run` is empty if the labels do not tell what the next one is called. `price` is the share of good runs that are
    this late; nan unless it is late.
    """

    table: str
    state: State
    run: str = ""
    expected: datetime | None = None
    late_from: datetime | None = None
    price: float = float("nan")

    @property
    def needs_a_look(self) -> bool:
        """Whether the run is late or missing, so that somebody should look."""
        return self.state in ("late", "missing")


def due(
    store: Store, now: datetime, tables: Iterable[str] | None = None, budget: float = BUDGET, back: int = BACK
) -> list[DueLine]:
    """What is late or missing in some tables (all, if none are named), and what each expects next if nothing is."""
    lines: list[DueLine] = []
    for table in store.tables() if tables is None else tables:
        lines += due_of(table, store.runs(table), now, budget, back)
    return lines


def due_of(
    table: str, runs: Iterable[RunLine], now: datetime, budget: float = BUDGET, back: int = BACK
) -> list[DueLine]:
    """The same for one table, given its runs."""
    found = schedule(arrivals(runs), now, budget, back)
    return [DueLine(table, "not known yet")] if found is None else list(_of_table(table, found, now))


def arrivals(lines: Iterable[RunLine]) -> list[Arrival]:
    """When runs first came, however often they were recorded; one that was filled in later says nothing of that."""
    found = ((line, arrived_in(line)) for line in lines)
    return [Arrival(line.run, line.at if at is None else at, at is not None) for line, at in found]


def arrived_in(line: RunLine) -> datetime | None:
    """When a run first came; None if that is not known, because it was filled in later."""
    first = arrived_from_json(line.causes)
    if first is None:
        return line.at if line.outcome != "backfilled" else None
    return datetime.fromisoformat(first) if first else None


def arrival_kept(line: RunLine | None) -> str | None:
    """What is kept of the first arrival with a record that replaces another one; None if it replaces none."""
    if line is None:
        return None
    at = arrived_in(line)
    return "" if at is None else at.isoformat()


def _of_table(table: str, found: Schedule, now: datetime) -> Iterator[DueLine]:
    for label in found.skipped:
        yield DueLine(table, "missing", label)
    late = found.late(now)
    for run in late:
        yield DueLine(table, "late", run.run, run.expected, run.late_from, found.price(now - run.expected))
    if not late and not found.skipped:
        yield DueLine(table, "expected", found.next[0].run, found.next[0].expected, found.next[0].late_from)
