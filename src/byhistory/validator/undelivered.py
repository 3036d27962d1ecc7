"""Which messages about a table did not arrive, and where? Kept with its runs, so that the console can tell."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime

from byhistory.alarms import Alarm
from byhistory.history import Setting, Store
from byhistory.validator.due import DueLine

UNDELIVERED = "undelivered"
"""How the names of the settings begin that say so, each about one thing and one channel; an empty text takes it
back."""
_PARTS = 3
"""How many words the name of such a setting has."""


@dataclass(frozen=True, slots=True)
class Undelivered:
    """One thing that was not delivered to a channel. `channel` is a keyed hash, because an address contains secrets.

    `name` is the channel's place in the list and its kind; it failed first at `since`, and last with `problem`.
    """

    key: str
    channel: str
    name: str
    problem: str
    since: datetime


def key_of_alarm(alarm: Alarm) -> str:
    """A key that stays the same as long as an alarm is the same."""
    return json.dumps([alarm.opened, alarm.cause.about, alarm.columns[:1], alarm.cause.level])


def key_of_late(line: DueLine) -> str:
    """The same for a run that did not come."""
    return json.dumps(["late", line.run])


def setting_name(what: str, channel: str, key: str) -> str:
    """The name of the setting for one thing, one channel and one key."""
    return f"{what} {channel} {hashlib.blake2b(key.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def settings_of(what: str, settings: Mapping[str, Setting]) -> list[tuple[str, Setting]]:
    """The settings that have such a name, each with its channel."""
    parted = [(name.split(" "), setting) for name, setting in settings.items()]
    return [(parts[1], setting) for parts, setting in parted if parts[0] == what and len(parts) == _PARTS]


def kept_undelivered(store: Store, table: str) -> tuple[Undelivered, ...]:
    """The stored entries. One that cannot be read is left out: the next `byhistory notify` writes it again."""
    found = []
    for _, setting in settings_of(UNDELIVERED, store.settings(table)):
        with suppress(ValueError, TypeError, KeyError):
            body = json.loads(setting.text)
            found.append(Undelivered(**(body | {"since": datetime.fromisoformat(body["since"])})))
    return tuple(found)


def undelivered_text(one: Undelivered) -> str:
    """An entry as JSON, to be stored."""
    return json.dumps(asdict(one) | {"since": one.since.isoformat()})
