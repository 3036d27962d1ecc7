"""Which messages about a table did not arrive, and where? Kept beside its runs, so that the console can tell."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from byhistory.alarms import Alarm
from byhistory.history import Store
from byhistory.validator.due import DueLine

UNDELIVERED = "undelivered"
"""The setting of a table that lists them."""


@dataclass(frozen=True, slots=True)
class Undelivered:
    """One thing that a channel was not told: `channel` is a keyed hash, because an address has secrets in it.

    `name` is the channel's place in the list and its kind, `since` when it failed first, `problem` how it failed last.
    """

    key: str
    channel: str
    name: str
    problem: str
    since: datetime


def key_of_alarm(alarm: Alarm) -> str:
    """What names an alarm for as long as it is the same one."""
    return json.dumps([alarm.opened, alarm.cause.about, alarm.columns[:1], alarm.cause.level])


def key_of_late(line: DueLine) -> str:
    """The same for a run that did not come."""
    return json.dumps(["late", line.run])


def kept_undelivered(store: Store, table: str) -> tuple[Undelivered, ...]:
    """As they were kept. A list that cannot be read is taken for none: the next `byhistory notify` writes it anew."""
    setting = store.settings(table).get(UNDELIVERED)
    try:
        found = [] if setting is None else json.loads(setting.text)
        return tuple(Undelivered(**(one | {"since": datetime.fromisoformat(one["since"])})) for one in found)
    except (ValueError, TypeError, KeyError):
        return ()


def undelivered_text(entries: Iterable[Undelivered]) -> str:
    """As JSON, to keep."""
    return json.dumps([asdict(one) | {"since": one.since.isoformat()} for one in entries])
