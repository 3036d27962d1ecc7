"""What is kept: runs, decisions, programs and settings, as plain bytes and text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from byhistory.errors import StoreError

OUTCOMES = ("as usual", "unusual", "learning", "backfilled", "shadow", "open")
"""What a run was judged to be. Checked when a run is written, so that a later release may add to them."""

DECISIONS = ("accept", "reject", "new normal")
"""What a person may say about a run."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a table: the profile of every column as bytes, in the order of the schema, and how it was judged.

    `at` is when it was recorded, in UTC. `measures` is opaque: the values of the metrics of that run. `verdict` is
    JSON.
    """

    table: str
    run: str
    at: datetime
    outcome: str
    rows: int
    columns: Mapping[str, bytes]
    measures: bytes = b""
    verdict: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said about a run, and why; about some of its columns, or about all if none is named."""

    table: str
    run: str
    what: str
    who: str
    at: datetime
    why: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of all columns of a table as JSON, learned from the runs up to `as_of_run`."""

    table: str
    as_of_run: str
    at: datetime
    by_column: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Setting:
    """A named text of a table, such as its overrides; every change is kept, the last one holds."""

    table: str
    name: str
    text: str
    who: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list: everything but what is large, and the latest decision on it.

    `columns` is how many there are. A decision made before `at` was about an earlier record of the same run.
    """

    table: str
    run: str
    at: datetime
    outcome: str
    rows: int
    columns: int
    note: str = ""
    decision: Decision | None = None


def checked_run(run: Run, programs: Programs | None = None) -> None:
    """Refuse what not every store can keep, before anything is written."""
    asked = f"record the run {run.run!r} of {run.table!r}"
    _named(asked, table=run.table, run=run.run)
    _plain(asked, note=run.note, verdict=run.verdict)
    _timed(asked, run.at)
    if run.outcome not in OUTCOMES:
        raise StoreError(asked, f"the outcome {run.outcome!r}", f"give one of {', '.join(OUTCOMES)}")
    if not 0 <= run.rows < 1 << 63:
        raise StoreError(asked, f"{run.rows} rows", "give a count that is not negative and fits into 63 bits")
    for name in run.columns:
        _plain(asked, column=name)
    if programs is not None:
        checked_programs(programs)
        if programs.table != run.table:
            raise StoreError(asked, f"programs of {programs.table!r}", "record the programs of the same table")


def checked_programs(programs: Programs) -> None:
    """As `checked_run`, for programs."""
    asked = f"keep the programs of {programs.table!r}"
    _named(asked, table=programs.table)
    _plain(asked, as_of_run=programs.as_of_run)
    _timed(asked, programs.at)
    for name in programs.by_column:
        _plain(asked, column=name)


def checked_decision(decision: Decision) -> None:
    """As `checked_run`, for a decision."""
    asked = f"{decision.what} the run {decision.run!r} of {decision.table!r}"
    _named(asked, table=decision.table, run=decision.run, who=decision.who)
    _plain(asked, why=decision.why, columns=" ".join(decision.columns))
    _timed(asked, decision.at)
    if decision.what not in DECISIONS:
        raise StoreError(asked, f"the decision {decision.what!r}", f"give one of {', '.join(DECISIONS)}")


def checked_setting(setting: Setting) -> None:
    """As `checked_run`, for a setting."""
    asked = f"keep the setting {setting.name!r} of {setting.table!r}"
    _named(asked, table=setting.table, name=setting.name, who=setting.who)
    _plain(asked, text=setting.text)
    _timed(asked, setting.at)


def no_such_run(asked: str, table: str, run: str, there: list[str]) -> StoreError:
    """The error for a run that is not kept."""
    last = ", ".join(map(repr, there[-3:]))
    found = f"no run {run!r} of {table!r} ({f'the last ones are {last}' if there else 'it has no runs yet'})"
    return StoreError(asked, found, "name a run that `byhistory runs` lists")


def _named(asked: str, **texts: str) -> None:
    for what, text in texts.items():
        if not text:
            raise StoreError(asked, f"an empty {what}", f"give the {what} a name")
    _plain(asked, **texts)


def _plain(asked: str, **texts: str) -> None:
    """PostgreSQL keeps no NUL in a text, and half a surrogate pair has no bytes: refused everywhere, to be the same."""
    for what, text in texts.items():
        if "\0" in text or not _has_bytes(text):
            raise StoreError(asked, f"a {what} that is no plain text ({text[:40]!r})", f"change the {what}")


def _has_bytes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _timed(asked: str, at: datetime) -> None:
    if at.utcoffset() != timedelta(0):
        raise StoreError(asked, f"the time {at.isoformat()}", "give it in UTC: `datetime.now(timezone.utc)`")
