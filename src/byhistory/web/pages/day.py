"""What happened on a day, over all tables: one story for each cause, however many tables it broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from starlette.responses import Response

from byhistory.alarms import ROWS, Alarm, is_same
from byhistory.plain import plain, plain_sentence, some_of
from byhistory.validator.standing import Standing
from byhistory.web.asking import Asked
from byhistory.web.render import render_page
from byhistory.web.strip import in_words

_NAMED = 4
"""How many names a line has, by choice."""


@dataclass(frozen=True, slots=True)
class TableAlarm:
    """An alarm of a table, with its run of that day."""

    table: str
    run: str
    alarm: Alarm


@dataclass(frozen=True, slots=True)
class SharedCause:
    """One cause, and where it shows."""

    alarms: tuple[TableAlarm, ...]

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables, by name."""
        return tuple(dict.fromkeys(t.table for t in self.alarms))

    @property
    def level(self) -> str:
        """The worst of them."""
        return "stop" if any(t.alarm.level == "stop" for t in self.alarms) else "warn"

    @property
    def title(self) -> str:
        """Where it shows: the columns that all of them have in common first."""
        places = ((t.alarm.place_in_table if c == ROWS else plain(c) for c in t.alarm.columns) for t in self.alarms)
        counted = Counter(place for of_one in places for place in dict.fromkeys(of_one))
        return some_of([place for place, _ in counted.most_common()], _NAMED)

    @property
    def sentence(self) -> str:
        """What happened, in the words of the first table."""
        first = self.alarms[0].alarm
        return plain_sentence(first.cause.sentence, first.columns)

    @property
    def waiting(self) -> int:
        """How many of its alarms nobody has answered."""
        return sum(t.alarm.is_waiting for t in self.alarms)


def show(asked: Asked) -> Response:
    """The day that the address names, else the latest on which a run was recorded."""
    standings = asked.console.watch.standings()
    days = {r.at.date() for s in standings.values() for r in s.strip if r.at is not None}
    day = _date(asked.get("d")) or max(days, default=asked.guard.now().date())
    runs = [(t, r) for t, s in standings.items() for r in s.strip if r.at is not None and r.at.date() == day]
    return render_page(
        "day",
        asked.console,
        asked.visitor,
        day=day,
        before=day - timedelta(days=1) if day > date.min else None,
        after=day + timedelta(days=1) if day < asked.guard.now().date() else None,
        causes=shared_causes(on_day(standings, day)),
        runs=len(runs),
        words=in_words([r for _, r in runs]).partition(": ")[2],
        late=[line for s in standings.values() for line in s.due if line.needs_a_look],
        version=asked.console.watch.number,
    )


def on_day(standings: Mapping[str, Standing], day: date) -> list[TableAlarm]:
    """The alarms that a run of the day showed."""
    found = []
    for table, standing in standings.items():
        names = {r.run for r in standing.strip if r.at is not None and r.at.date() == day}
        for alarm in standing.alarms:
            shown = [run for run in alarm.runs if run in names]
            if shown:
                found.append(TableAlarm(table, shown[-1], alarm))
    return found


def shared_causes(alarms: Iterable[TableAlarm]) -> list[SharedCause]:
    """The alarms by cause: those that stop first, the most tables first.

    >>> from byhistory.alarms import Cause
    >>> a, b = (TableAlarm(t, "1", Alarm(Cause("constraint", ("price",), "mean", 1), ("1",), ("price",))) for t in "ab")
    >>> c = TableAlarm("c", "1", Alarm(Cause("constraint", ("price",), "mean", -1), ("1",), ("price",)))
    >>> [cause.tables for cause in shared_causes([a, b, c])]
    [('a', 'b'), ('c',)]
    """
    groups: list[list[TableAlarm]] = []
    for one in alarms:
        alike = [g for g in groups if any(_alike(one, other) for other in g)]
        merged = [t for g in alike for t in g] + [one]
        groups = [g for g in groups if not any(g is other for other in alike)] + [merged]
    found = [SharedCause(tuple(sorted(g, key=lambda t: t.table))) for g in groups]
    return sorted(found, key=lambda t: (t.level != "stop", -len(t.tables), t.tables))


def _alike(a: TableAlarm, b: TableAlarm) -> bool:
    """Whether two tables show the same cause; where rows are missing every column moves, so only the rows count."""
    of_rows = ROWS in a.alarm.cause.columns
    return of_rows == (ROWS in b.alarm.cause.columns) and is_same(a.alarm.cause, b.alarm.cause)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
