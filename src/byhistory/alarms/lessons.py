"""What may be learned from each run of a table, after what was found in it and what people said."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from byhistory.alarms.alarm import Alarm
from byhistory.alarms.cause import Cause
from byhistory.alarms.ledger import ANSWERS, Entry

EVERY = "*"
"""Stands for every column."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is left out, run by run, and where a column starts a new level.

    `bad_runs` are left out entirely. `left_out` names the columns of a run (`ROWS` for the number of rows, `EVERY` for
    all) that were not as usual; the others are learned from as always. `levels` gives the new levels of a column,
    oldest first: the runs before are moved onto it, so that the column is judged from the very next run on. A level is
    named by the runs of its alarm, the first of which begins it; their distances were still taken to the old level.
    """

    bad_runs: frozenset[str] = frozenset()
    left_out: Mapping[str, frozenset[str]] = field(default_factory=dict)
    levels: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    @property
    def uses_all(self) -> bool:
        """Whether every column of every run is learned from, as it mostly is."""
        return not self.bad_runs and not self.left_out

    def uses(self, run: str, column: str) -> bool:
        """Whether a column of a run is learned from."""
        left_out = self.left_out.get(run, frozenset())
        return run not in self.bad_runs and column not in left_out and EVERY not in left_out

    def uses_any(self, run: str) -> bool:
        """Whether anything of a run is learned from."""
        return run not in self.bad_runs and EVERY not in self.left_out.get(run, ())

    def levels_of(self, column: str) -> tuple[tuple[str, ...], ...]:
        """The new levels of a column, oldest first."""
        return (*self.levels.get(EVERY, ()), *self.levels.get(column, ()))


def lessons(ledger: Iterable[Entry], alarms: Iterable[Alarm], returned: Collection[str] = ()) -> Lessons:
    """What a ledger teaches, given its alarms (`follow`), of columns that have `returned` to their other level.

    That is the one before a new level that nobody has confirmed; or else that of the runs that were called usual.

    A run that was warned about is learned from. A column that stopped its run is not, whether the run was accepted
    since or not: to forgive is neither to widen nor to shift what is usual. Called usual, it is a level
    beside the usual one. While nobody has confirmed a new level, runs at it teach nothing of the old one, nor the other
    way round. A run that somebody rejected, or said something about that is not understood, is left out whole.
    """
    entries = list(ledger)
    known = list(alarms)
    bad = {e.run for e in entries if any(a.what == "reject" or a.what not in ANSWERS for a in e.answers)}
    usual = {column: runs for column, runs in called_usual(entries).items() if column not in unconfirmed(known)}
    by_usual = {column: runs for column, runs in usual.items() if column in returned}
    other_level = _of_other_levels(entries, known, set(returned), usual)
    left = {
        e.run: frozenset((*_left_out(e, known, by_usual), *other_level.get(e.run, ())))
        for e in entries
        if e.causes or e.run in other_level
    }
    levels: dict[str, list[tuple[str, ...]]] = {}
    for alarm in known:
        for column in alarm.levelled:
            if alarm.state == "adapted" and column in returned:
                continue
            levels.setdefault(column, []).append(alarm.runs)
    for column, runs in by_usual.items():
        levels.setdefault(column, []).append(runs)
    for entry in entries:  # a new normal of named columns needs no alarm
        for answer in entry.answers:
            named = answer.columns or (() if entry.causes else (EVERY,))
            for column in named if answer.what == "new normal" else ():
                if not any(column in a.levelled and entry.run in a.runs for a in known):
                    levels.setdefault(column, []).append((entry.run,))
    order = {e.run: i for i, e in enumerate(entries)}
    ordered = {c: tuple(sorted(dict.fromkeys(of), key=lambda runs: order[runs[0]])) for c, of in levels.items()}
    return Lessons(frozenset(bad), {run: columns for run, columns in left.items() if columns}, ordered)


def unconfirmed(alarms: Iterable[Alarm]) -> set[str]:
    """The columns that have a new level which nobody has confirmed."""
    return {column for alarm in alarms if alarm.state == "adapted" for column in alarm.levelled}


def called_usual(ledger: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
    """The columns that may be as in some runs again, because somebody called those usual, each with these runs."""
    found: dict[str, list[str]] = {}
    for entry in ledger:
        for answer in (a for a in entry.answers if a.what == "usual"):
            columns = dict.fromkeys(c for cause in entry.causes for c in cause.columns)
            for column in columns:
                if not answer.columns or column in answer.columns:
                    found.setdefault(column, []).append(entry.run)
    return {column: tuple(dict.fromkeys(runs)) for column, runs in found.items()}


def _of_other_levels(
    entries: list[Entry], alarms: list[Alarm], returned: set[str], usual: Mapping[str, tuple[str, ...]]
) -> dict[str, set[str]]:
    """The runs that are of another level than the one by which a column is judged, each with such columns."""
    found: dict[str, set[str]] = {}
    unanswered = [alarm for alarm in alarms if alarm.state == "adapted"]
    back = {(run, column) for alarm in unanswered for run, column in alarm.returned if column in returned}
    opened = [(a.opened, column, ()) for a in unanswered for column in returned.intersection(a.levelled)]
    begun = {e.run: i for i, e in enumerate(entries)}
    for first, column, own in (*opened, *((runs[0], c, runs) for c, runs in usual.items() if c in returned)):
        for entry in entries[begun[first] :]:
            if (entry.run, column) not in back and entry.run not in own:
                found.setdefault(entry.run, set()).add(column)
    for entry in entries:  # whatever was said since, it was not as usual by the level that it is left out of
        for column in entry.returned:
            if (entry.run, column) not in back:
                found.setdefault(entry.run, set()).add(column)
    return found


def _left_out(entry: Entry, alarms: list[Alarm], usual: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    """The columns that stopped this run, but for those of which it tells the level that they are judged by."""
    for cause in entry.causes:
        if cause.level == "stop":
            for column in cause.columns:
                if entry.run not in usual.get(column, ()) and not _is_of_level(entry, cause, column, alarms):
                    yield column


def _is_of_level(entry: Entry, cause: Cause, column: str, alarms: list[Alarm]) -> bool:
    """Whether a column is learned from although it stopped this run, as it is the new level."""
    return any(
        column in alarm.levelled and entry.run in alarm.runs and alarm.cause.about == cause.about for alarm in alarms
    )
