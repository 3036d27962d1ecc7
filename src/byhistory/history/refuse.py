"""Whatever some store cannot keep, all of them refuse, in the same words and before anything is written."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from byhistory.errors import StoreError
from byhistory.history.record import DECISIONS, OUTCOMES, Decision, Programs, Run, RunLine, Setting
from byhistory.profile.label import LONGEST

LONGEST_TABLE = 300
"""Characters of a table's name: with a label it must fit into an index entry of PostgreSQL, of 2,704 bytes."""
LONGEST_COLUMN = 2_600
"""Bytes of a column's name: PostgreSQL finds a profile by it, and indexes 2,704 bytes at most."""
_WORD = re.compile(r"[a-z]+( [a-z]+){0,3}")
"""A kind of decision: a few plain words, so that one that was damaged seldom passes for another."""


def checked_run(run: Run, programs: Programs | None = None) -> None:
    """Refuse a run that some store could not keep."""
    asked = f"record the run {run.run!r} of {run.table!r}"
    _named(asked, table=run.table, run=run.run)
    _short(asked, table=run.table, run=run.run)
    _plain(asked, note=run.note, verdict=run.verdict, scores=run.scores, causes=run.causes)
    _timed(asked, run.at)
    if run.outcome not in OUTCOMES:
        raise StoreError(asked, f"the outcome {run.outcome!r}", f"give one of {', '.join(OUTCOMES)}")
    if not 0 <= run.rows < 1 << 63:
        raise StoreError(asked, f"{run.rows} rows", "give a count that is not negative and fits into 63 bits")
    for name in run.columns:
        _plain(asked, column=name)
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
    _named(asked, table=programs.table)
    _plain(asked, as_of_run=programs.as_of_run)
    _timed(asked, programs.at)
    for name in programs.by_column:
        _plain(asked, column=name)


def checked_decision(decision: Decision) -> None:
    """Like `checked_run`, for a decision."""
    asked = f"{decision.what} the run {decision.run!r} of {decision.table!r}"
    _named(asked, table=decision.table, run=decision.run, who=decision.who)
    _plain(asked, why=decision.why, columns=" ".join(decision.columns), until=decision.until)
    _timed(asked, decision.at)
    if not _WORD.fullmatch(decision.what):
        found = f"the decision {decision.what[:40]!r}"
        raise StoreError(asked, found, f"give one of {', '.join(DECISIONS)}, or up to four words of small letters")


def checked_setting(setting: Setting) -> None:
    """Like `checked_run`, for a setting."""
    asked = f"keep the setting {setting.name!r} of {setting.table!r}"
    _named(asked, table=setting.table, name=setting.name, who=setting.who)
    _plain(asked, text=setting.text)
    _timed(asked, setting.at)


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
    _plain(asked, **texts)


def _short(asked: str, **texts: str) -> None:
    """PostgreSQL finds a run by the table's name and its label, which may have 2,704 bytes together."""
    for what, text in texts.items():
        longest = LONGEST if what == "run" else LONGEST_TABLE
        if len(text) > longest:
            raise StoreError(asked, f"a {what} of {len(text):,} characters", f"give it a name of up to {longest}")


def _plain(asked: str, **texts: str) -> None:
    """Refuse NUL, which PostgreSQL cannot keep, and half a surrogate pair, which has no bytes, in every store."""
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
