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
    """What a ledger teaches, given its alarms (`follow`), of columns that have `returned` as before their new level.

    A run that was warned about is learned from. A column that stopped its run is not, whether the run was accepted
    since or not: to forgive is neither to widen nor to shift what is usual. Called usual, it is learned from. While
    nobody has confirmed a new level, runs at it teach nothing of the old one, nor the other way round. A run that
    somebody rejected, or said something about that is not understood, is left out whole.
    """
    entries = list(ledger)
    known = list(alarms)
    bad = {e.run for e in entries if any(a.what == "reject" or a.what not in ANSWERS for a in e.answers)}
    other_level = _of_other_levels(entries, known, set(returned))
    left = {
        e.run: frozenset((*_left_out(e, known), *other_level.get(e.run, ())))
        for e in entries
        if e.causes or e.run in other_level
    }
    levels: dict[str, list[tuple[str, ...]]] = {}
    for alarm in known:
        for column in alarm.levelled:
            if alarm.state == "adapted" and column in returned:
                continue
            levels.setdefault(column, []).append(alarm.runs)
    for entry in entries:  # a new normal of named columns needs no alarm
        for answer in entry.answers:
            named = answer.columns or (() if entry.causes else (EVERY,))
            for column in named if answer.what == "new normal" else ():
                if not any(column in a.levelled and entry.run in a.runs for a in known):
                    levels.setdefault(column, []).append((entry.run,))
    order = {e.run: i for i, e in enumerate(entries)}
    ordered = {c: tuple(sorted(dict.fromkeys(of), key=lambda runs: order[runs[0]])) for c, of in levels.items()}
    return Lessons(frozenset(bad), {run: columns for run, columns in left.items() if columns}, ordered)


def _of_other_levels(entries: list[Entry], alarms: list[Alarm], returned: set[str]) -> dict[str, set[str]]:
    """The runs that are of another level than the one by which a column is judged, each with such columns."""
    found: dict[str, set[str]] = {}
    for alarm in alarms:
        is_there = set(alarm.returned)
        for run, column in alarm.returned:
            if column not in returned or alarm.state != "adapted":
                found.setdefault(run, set()).add(column)
        for column in returned.intersection(alarm.levelled) if alarm.state == "adapted" else ():
            since = next(i for i, e in enumerate(entries) if e.run == alarm.opened)
            for entry in entries[since:]:
                if (entry.run, column) not in is_there:
                    found.setdefault(entry.run, set()).add(column)
    return found


def _left_out(entry: Entry, alarms: list[Alarm]) -> Iterable[str]:
    for cause in entry.causes:
        if cause.level == "stop":
            for column in cause.columns:
                if not _is_learned(entry, cause, column, alarms):
                    yield column


def _is_learned(entry: Entry, cause: Cause, column: str, alarms: list[Alarm]) -> bool:
    """Whether a column is learned from although it stopped this run: it may happen again, or is the new level."""
    usual = any(a.what == "usual" and (not a.columns or column in a.columns) for a in entry.answers)
    of_level = any(
        column in alarm.levelled and entry.run in alarm.runs and alarm.cause.about == cause.about for alarm in alarms
    )
    return usual or of_level
