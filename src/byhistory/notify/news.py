"""What nobody was told yet: one message for each cause, over all tables that it shows in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from byhistory.alarms import ROWS, Alarm, is_same
from byhistory.plain import plain, said
from byhistory.validator import Validator

TOLD = "told"
"""The setting of a table that lists what was told about it."""
_LISTED = 8
"""Alarms that one message lists, by choice."""
_KEPT = 200
"""Alarms per table that are remembered as told, by choice: far more than wait for an answer at once."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in one table: `key` names it for ever, `run` is what a link leads to."""

    table: str
    key: str
    run: str
    level: str
    sentence: str
    alarm: Alarm | None = None


@dataclass(frozen=True, slots=True)
class News:
    """One message: the same cause in some tables."""

    items: tuple[Item, ...]

    @property
    def level(self) -> str:
        """The worst of them: stop, warn or late."""
        levels = {item.level for item in self.items}
        return next(level for level in ("stop", "warn", "late") if level in levels)

    @property
    def title(self) -> str:
        """What happened, and where."""
        tables = list(dict.fromkeys(plain(item.table, 60) for item in self.items))
        where = tables[0] if len(tables) == 1 else f"{len(tables)} tables"
        columns = dict.fromkeys(c for i in self.items if i.alarm for c in i.alarm.columns)
        names = ["rows" if c == ROWS else plain(c, 40) for c in columns]
        about = f": {', '.join(names[:3])}{' …' if len(names) > 3 else ''}" if names else ""
        return f"{self.level}: {where}{about}"

    def text(self, console: str = "") -> str:
        """What broke, in which tables, each with a link to its run."""
        lines = [said(self.items[0].sentence), ""]
        lines += [
            f"{plain(item.table, 60)} {plain(item.run, 40)}{_link(console, item)}" for item in self.items[:_LISTED]
        ]
        if len(self.items) > _LISTED:
            lines.append(f"and {len(self.items) - _LISTED} more")
        return "\n".join(lines)

    def body(self, console: str = "") -> str:
        """The same for a program, as JSON."""
        items = [{"table": i.table, "run": i.run, "level": i.level, "sentence": i.sentence} for i in self.items]
        told = {"title": self.title, "text": self.text(console), "level": self.level, "items": items}
        return json.dumps({"byhistory_news": 1, **told})


def _link(console: str, item: Item) -> str:
    if not console:
        return ""
    page, names = ("run", {"t": item.table, "r": item.run}) if item.alarm is not None else ("table", {"t": item.table})
    given = urlencode([(k, v.encode("utf-8", "surrogatepass")) for k, v in names.items()])
    return f"\n  {console.rstrip('/')}/{page}?{given}"


def untold(guard: Validator, levels: Iterable[str] = ("stop", "warn", "late")) -> list[News]:
    """The alarms that wait and the runs that are late, of all tables, that were not told yet."""
    wanted = set(levels)
    found = [item for table in guard.records.tables() for item in _items(guard, table) if item.level in wanted]
    groups: list[list[Item]] = []
    for item in found:
        alike = next((g for g in groups if _is_same(g[0], item)), None)
        if alike is None:
            groups.append([item])
        else:
            alike.append(item)
    return [News(tuple(g)) for g in groups]


def mark_told(guard: Validator, news: News) -> None:
    """Remember that it was told, so that the same alarm in the next runs is held back."""
    for table in dict.fromkeys(item.table for item in news.items):
        keys = [*_told(guard, table), *(item.key for item in news.items if item.table == table)]
        guard.records.keep(table, TOLD, json.dumps(keys[-_KEPT:]), who="byhistory notify")


def _told(guard: Validator, table: str) -> list[str]:
    kept = guard.records.kept(table, TOLD)
    return [] if kept is None else [str(key) for key in json.loads(kept)]


def _items(guard: Validator, table: str) -> list[Item]:
    standing = guard.decisions.standing(table)
    told = set(_told(guard, table))
    found = [
        Item(
            table,
            json.dumps([a.opened, a.cause.about, a.columns[:1], a.cause.level]),
            a.runs[-1],
            a.cause.level,
            a.cause.sentence,
            a,
        )
        for a in standing.waiting
        if not a.snoozed_until
    ]
    found += [
        Item(
            table,
            json.dumps(["late", line.run]),
            line.run,
            "late",
            f"the run {line.run or 'that is due'} is {line.state}",
        )
        for line in standing.due
        if line.needs_a_look
    ]
    return [item for item in found if item.key not in told]


def _is_same(a: Item, b: Item) -> bool:
    if a.alarm is None or b.alarm is None:
        return a.alarm is b.alarm and a.key == b.key
    of_rows = ROWS in a.alarm.cause.columns
    return of_rows == (ROWS in b.alarm.cause.columns) and is_same(a.alarm.cause, b.alarm.cause)
