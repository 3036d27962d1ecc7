"""What was sent to nobody yet: one message for each cause, over all tables that it shows in."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from byhistory.alarms import ROWS, Alarm, is_same
from byhistory.errors import ByHistoryError
from byhistory.plain import harmless, plain, plain_sentence
from byhistory.report.bands import with_bands
from byhistory.report.png import png
from byhistory.validator import Validator
from byhistory.validator.undelivered import (
    UNDELIVERED,
    Undelivered,
    kept_undelivered,
    key_of_alarm,
    key_of_late,
    setting_name,
    settings_of,
    undelivered_text,
)

SENT = "told"
"""How the names of the settings begin that say what was sent about a table, each one thing to one channel.

A setting with this name alone lists what an earlier release sent."""
_WHO = "byhistory notify"
MOST = 10
"""Messages at once to a channel, by choice: after a night with more causes, the last message has the rest."""
Escape = Callable[[str], str]
_LISTED = 8
"""Alarms that one message lists, by choice."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in one table: `key` names it for ever, and `run` is the run that a link leads to."""

    table: str
    key: str
    run: str
    level: str
    sentence: str
    alarm: Alarm | None = None


@dataclass(frozen=True, slots=True)
class News:
    """One message: the same cause in some tables, or the rest of many causes."""

    items: tuple[Item, ...]
    causes: int = 1

    @property
    def level(self) -> str:
        """The worst of them: stop, warn or late."""
        levels = {item.level for item in self.items}
        return next(level for level in ("stop", "warn", "late") if level in levels)

    def title(self, escape: Escape = harmless) -> str:
        """What happened, and where; `escape` writes what comes from the data so that it is nothing but text."""
        tables = list(dict.fromkeys(escape(plain(item.table, 60)) for item in self.items))
        where = tables[0] if len(tables) == 1 else f"{len(tables)} tables"
        if self.causes > 1:
            return f"{self.level}: {self.causes} more causes in {where}"
        columns = dict.fromkeys(c for i in self.items if i.alarm for c in i.alarm.columns)
        names = ["rows" if c == ROWS else escape(plain(c, 40)) for c in columns]
        about = f": {', '.join(names[:3])}{' …' if len(names) > 3 else ''}" if names else ""
        return f"{self.level}: {where}{about}"

    def text(self, console: str = "", escape: Escape = harmless) -> str:
        """What broke, in which tables, each with a link to its run; `escape` as above."""
        first = "Too many to tell one by one." if self.causes > 1 else escape(plain_sentence(self.items[0].sentence))
        lines = [first, ""]
        lines += [
            f"{escape(plain(item.table, 60))} {escape(plain(item.run, 40))}{_link(console, item)}"
            for item in self.items[:_LISTED]
        ]
        if len(self.items) > _LISTED:
            lines.append(f"and {len(self.items) - _LISTED} more{_all(console)}")
        return "\n".join(lines)

    def body(self, console: str = "", picture: bytes = b"") -> str:
        """The same for a program, as JSON; the picture as PNG in base64."""
        items = [{"table": i.table, "run": i.run, "level": i.level, "sentence": i.sentence} for i in self.items]
        words = {"title": self.title(), "text": self.text(console), "level": self.level, "items": items}
        drawn = {"picture_png": base64.b64encode(picture).decode()} if picture else {}
        return json.dumps({"byhistory_news": 1, **words, **drawn})


def _link(console: str, item: Item) -> str:
    if not console:
        return ""
    page, names = ("run", {"t": item.table, "r": item.run}) if item.alarm is not None else ("table", {"t": item.table})
    given = urlencode([(k, v.encode("utf-8", "surrogatepass")) for k, v in names.items()])
    return f"\n  {console.rstrip('/')}/{page}?{given}"


def _all(console: str) -> str:
    return f"\n  {console.rstrip('/')}/day" if console else ""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The alarms that wait for an answer and the runs that are late, in all tables, and what was sent where."""

    items: tuple[Item, ...]
    sent: dict[str, frozenset[str]]
    """By table: `channel key` for what a channel was sent, and keys alone for what an earlier release sent to all."""

    def unsent(self, channel: str = "", levels: Iterable[str] = ("stop", "warn", "late")) -> list[News]:
        """One message for each cause that a channel was not sent yet; if there are many, the last has the rest."""
        wanted = set(levels)
        found = [i for i in self.items if i.level in wanted and not self._was_sent(i, channel)]
        groups: list[list[Item]] = []
        for item in found:
            alike = next((g for g in groups if _is_same(g[0], item)), None)
            if alike is None:
                groups.append([item])
            else:
                alike.append(item)
        news = sorted((News(tuple(g)) for g in groups), key=lambda n: ("stop", "warn", "late").index(n.level))
        if len(news) <= MOST:
            return news
        rest = news[MOST - 1 :]
        return [*news[: MOST - 1], News(tuple(i for n in rest for i in n.items), len(rest))]

    def _was_sent(self, item: Item, channel: str) -> bool:
        sent = self.sent.get(item.table, frozenset())
        return item.key in sent or f"{channel} {item.key}" in sent


def waiting(guard: Validator) -> Unanswered:
    """What waits in all tables, and what was sent about it."""
    tables = guard.records.tables()
    items = tuple(item for table in tables for item in _items(guard, table))
    return Unanswered(items, {table: frozenset(_sent_keys(guard, table)) for table in {i.table for i in items}})


def unsent(guard: Validator, levels: Iterable[str] = ("stop", "warn", "late")) -> list[News]:
    """The alarms that wait and the runs that are late, in all tables, that were not sent yet."""
    return waiting(guard).unsent(levels=levels)


def channel_of(guard: Validator, address: str) -> str:
    """A name for an address that reveals nothing of it: names are kept in the store, and addresses contain secrets."""
    return hashlib.blake2b(address.encode(), key=guard.store.key()[:64], digest_size=6).hexdigest()


def mark_sent(guard: Validator, sent: Sequence[tuple[str, News]]) -> None:
    """Remember what was sent to which channel, so that the same alarm in the next runs is held back.

    Each thing is a setting of its own, so that of two processes at once neither overwrites what the other sent.
    """
    for channel, news in sent:
        for item in news.items:
            guard.records.keep(item.table, setting_name(SENT, channel, item.key), item.key, who=_WHO)


def mark_undelivered(
    guard: Validator, failed: Sequence[tuple[str, str, str, News]], sent: Sequence[tuple[str, News]]
) -> None:
    """Remember what did not arrive (channel, its name, the problem, the message), for the console to tell.

    It is forgotten when it arrives. What is already remembered is not written again.
    """
    now = {
        (item.table, item.key, channel): Undelivered(item.key, channel, name, problem, guard.now())
        for channel, name, problem, news in failed
        for item in news.items
    }
    arrived = {(item.table, item.key, channel) for channel, news in sent for item in news.items}
    tables = {table for table, _, _ in (*now, *arrived)}
    before = {(table, one.key, one.channel): one for table in tables for one in kept_undelivered(guard.store, table)}
    for at, one in now.items():
        again = replace(one, since=before[at].since) if at in before else one
        if again != before.get(at):
            _keep_undelivered(guard, at, undelivered_text(again))
    for at in arrived & before.keys():
        _keep_undelivered(guard, at, "")


def _keep_undelivered(guard: Validator, at: tuple[str, str, str], text: str) -> None:
    """Keep the text about one thing in one table that did not reach one channel; empty once it did."""
    table, key, channel = at
    guard.records.keep(table, setting_name(UNDELIVERED, channel, key), text, who=_WHO)


def picture_of(guard: Validator, news: News) -> bytes:
    """The broken metric over the runs, from the first table that has a picture to show; empty if none has."""
    for item in news.items if news.causes == 1 else ():
        if item.alarm is None:
            continue
        try:
            story = guard.records.story(item.table, item.run)
        except ByHistoryError:  # the run was forgotten meanwhile
            continue
        story = with_bands(story, [c for c in item.alarm.columns if c != ROWS])
        about = (c for c in story.causes if set(c.finding.columns) & set(item.alarm.columns) or len(story.causes) == 1)
        clauses = (story.clause(member) for cause in about for member in (cause.finding, *cause.members))
        clause = next((c for c in clauses if c is not None and len(c.line.values) > 1), None)
        if clause is not None:
            return png(clause)
    return b""


def _sent_keys(guard: Validator, table: str) -> list[str]:
    kept = guard.store.settings(table)
    found = [f"{channel} {setting.text}" for channel, setting in settings_of(SENT, kept)]
    with suppress(ValueError, TypeError):  # Nonsense says nothing: it is sent once more.
        found += [str(key) for key in json.loads(kept[SENT].text)] if SENT in kept else []
    return found


def _items(guard: Validator, table: str) -> list[Item]:
    standing = guard.decisions.standing(table)
    found = [
        Item(
            table,
            key_of_alarm(a),
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
            key_of_late(line),
            line.run,
            "late",
            f"the run {line.run or 'that is due'} is {line.state}",
        )
        for line in standing.due
        if line.needs_a_look
    ]
    return found


def _is_same(a: Item, b: Item) -> bool:
    if a.alarm is None or b.alarm is None:
        return a.alarm is b.alarm and a.key == b.key
    of_rows = ROWS in a.alarm.cause.columns
    return of_rows == (ROWS in b.alarm.cause.columns) and is_same(a.alarm.cause, b.alarm.cause)
