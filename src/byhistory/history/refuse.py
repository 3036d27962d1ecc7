"""Whatever some store cannot keep, all of them refuse, in the same words and before anything is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from byhistory.errors import StoreError
from byhistory.history.record import DECISIONS, OUTCOMES, Decision, Programs, Run, RunLine, Setting
from byhistory.profile.label import LONGEST

LONGEST_TABLE = 300
"""Characters of a table's name: with a label it must fit into an index entry of PostgreSQL, of 2,704 bytes."""
LONGEST_COLUMN = 2_600
"""Bytes of a column's name: PostgreSQL finds a profile by it, and indexes 2,704 bytes at most."""
FIRST_YEAR, LAST_YEAR = 1900, 2999
"""Beyond them a time cannot be shown in every zone, or compared with others."""
_WORD = re.compile(r"[a-z]+( [a-z]+){0,3}")
"""A kind of decision: a few plain words, so that one that was damaged seldom passes for another."""


def checked_run(run: Run, programs: Programs | None = None) -> None:
    """Refuse a run that some store could not keep."""
    asked = f"record the run {run.run!r} of {run.table!r}"
    _well_formed(asked, run)
    _named(asked, table=run.table, run=run.run)
    _short(asked, table=run.table, run=run.run)
    if run.outcome not in OUTCOMES:
        raise StoreError(asked, f"the outcome {run.outcome!r}", f"give one of {', '.join(OUTCOMES)}")
    if not 0 <= run.rows < 1 << 63:
        raise StoreError(asked, f"{run.rows} rows", "give a count that is not negative and fits into 63 bits")
    for name in run.columns:
        if len(name.encode()) > LONGEST_COLUMN:
            found = f"a column whose name has {len(name.encode()):,} bytes ({name[:40]!r}…)"
            raise StoreError(asked, found, f"rename or exclude it: up to {LONGEST_COLUMN:,} can be kept")
    if programs is not None:
        checked_programs(programs)
        if programs.table != run.table:
            raise StoreError(asked, f"programs of {programs.table!r}", "record the programs of the same table")


def checked_programs(programs: Programs) -> None:
    """Like `checked_run`, for programs."""
    asked = f"keep the programs of {programs.table!r}"
    _well_formed(asked, programs)
    _named(asked, table=programs.table)


def checked_decision(decision: Decision) -> None:
    """Like `checked_run`, for a decision."""
    asked = f"{decision.what} the run {decision.run!r} of {decision.table!r}"
    _well_formed(asked, decision)
    _named(asked, table=decision.table, run=decision.run, who=decision.who)
    if not _WORD.fullmatch(decision.what):
        found = f"the decision {decision.what[:40]!r}"
        raise StoreError(asked, found, f"give one of {', '.join(DECISIONS)}, or up to four words of small letters")


def checked_setting(setting: Setting) -> None:
    """Like `checked_run`, for a setting."""
    asked = f"keep the setting {setting.name!r} of {setting.table!r}"
    _well_formed(asked, setting)
    _named(asked, table=setting.table, name=setting.name, who=setting.who)


def no_such_run(asked: str, table: str, run: str, there: list[str]) -> StoreError:
    """The error for a run that is not in the store."""
    last = ", ".join(map(repr, there[-3:]))
    found = f"no run {run!r} of {table!r} ({f'the last ones are {last}' if there else 'it has no runs yet'})"
    return StoreError(asked, found, "name a run that `byhistory runs` lists")


def another_record(asked: str, decision: Decision, line: RunLine) -> StoreError:
    """The error for a decision on a record that has been replaced."""
    found = f"that the run was recorded anew at {line.at.isoformat()}, with other data than the decision is about"
    return StoreError(asked, found, f"look at {decision.run!r} again, then decide")


def damaged(table: str, what: str, todo: str = "") -> StoreError:
    """The error for a record whose checksum does not match: it is never used."""
    mend = "restore the store from a backup, or see `byhistory verify`"
    return StoreError(f"read the history of {table!r}", f"{what} whose checksum does not match", todo or mend)


def _named(asked: str, **texts: str) -> None:
    for what, text in texts.items():
        if not text:
            raise StoreError(asked, f"an empty {what}", f"give the {what} a name")


def _short(asked: str, **texts: str) -> None:
    """PostgreSQL finds a run by the table's name and its label, which may have 2,704 bytes together."""
    for what, text in texts.items():
        longest = LONGEST if what == "run" else LONGEST_TABLE
        if len(text) > longest:
            raise StoreError(asked, f"a {what} of {len(text):,} characters", f"give it a name of up to {longest}")


def _well_formed(asked: str, record: Run | Programs | Decision | Setting) -> None:
    """Refuse fields of another type than a record declares, texts that not every store can keep, and odd times.

    A database keeps `true` as 1 and 5 as "5", and the checksum of what it gives back matches no more. NUL is what
    PostgreSQL cannot keep, and half a surrogate pair has no bytes.
    """
    for field in fields(record):
        value = getattr(record, field.name)
        if not _IS[str(field.type)](value):
            found = f"a field {field.name!r} of type {type(value).__name__}, where {field.type} belongs"
            raise StoreError(asked, found, "give what the record declares; use the same version on both sides")
        for text in _texts_of(value):
            if "\0" in text or not _has_bytes(text):
                what = "column" if isinstance(value, Mapping) else field.name
                raise StoreError(asked, f"a {what} that is no plain text ({text[:40]!r})", f"change the {what}")
        if isinstance(value, datetime):
            _timed(asked, value)


def _texts_of(value: object) -> Iterable[str]:
    if isinstance(value, Mapping):
        return [text for pair in value.items() for text in pair if isinstance(text, str)]
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()


def _is_map_to(type_: type) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, Mapping) and all(isinstance(k, str) and isinstance(v, type_) for k, v in value.items())
    )


_IS: dict[str, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "bytes": lambda value: isinstance(value, bytes),
    "datetime": lambda value: isinstance(value, datetime),
    "tuple[str, ...]": lambda value: isinstance(value, tuple) and all(isinstance(v, str) for v in value),
    "Mapping[str, bytes]": _is_map_to(bytes),
    "Mapping[str, str]": _is_map_to(str),
}
"""The types that fields of records have, as they are declared."""


def _has_bytes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _timed(asked: str, at: datetime) -> None:
    if at.utcoffset() != timedelta(0):
        raise StoreError(asked, f"the time {at.isoformat()}", "give it in UTC: `datetime.now(timezone.utc)`")
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise StoreError(asked, f"the time {at.isoformat()}", f"set the clock: years are {FIRST_YEAR} to {LAST_YEAR}")
