"""From the ledger of a table to its alarms: a pure fold over its runs, what was found in them and what people said.

Nothing about an alarm is stored but what is here: it is derived anew each time, so that there is one truth, and an
answer that is undone leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from byhistory.alarms.alarm import Alarm, State
from byhistory.alarms.cause import DRIFT, Cause, is_same
from byhistory.constraints import LEVELS, Level
from byhistory.series.cadence import roughly_at

PATIENCE = 3
"""Alike runs after which an alarm that nobody answered becomes the new normal (a choice, see `make bench-life`)."""
SELDOM = 2
"""Alike runs that are enough where they are DAYS apart: of a weekly table, the second says that nobody has answered for
a week, and the third would say nothing new (ADR 0024)."""
DAYS = timedelta(days=3)
"""Time in which somebody would have answered: from a Friday evening to a Monday evening, so that a weekend is over
before runs pass again, however often they come (ADR 0012). What always stops goes on to stop until it has passed.

It never becomes normal: nothing is learned from it, and every run says so. But where runs have been stopped for so long
for a column that is gone, and nobody answered, one more stop says nothing new.
"""
WEEK = 7
"""The same as a number of alike runs, where labels name no time."""
ANSWERS = ("accept", "usual", "new normal", "reject", "snooze")
"""What a person may answer; anything else is not understood, and the run is not learned from."""
_STATE_AFTER: dict[str, State] = {"accept": "accepted", "usual": "usual"}


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's answer about a run: about some columns, or about all that were found unusual if none is named.

    `until` is the last run that was there when a new normal was declared, or up to which an alarm is snoozed.
    """

    what: str
    columns: tuple[str, ...] = ()
    until: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One run of the ledger, with the causes found in it and the answers in force, in the order in which they came."""

    run: str
    causes: tuple[Cause, ...] = ()
    answers: tuple[Reply, ...] = ()
    is_judged: bool = True
    """Whether the run was judged at all: a backfilled one says nothing about an alarm."""
    is_shadow: bool = False
    order: bytes = b""
    """What the runs of the table are sorted by."""
    returned: tuple[str, ...] = ()
    """Columns that were judged by their level before one that nobody had confirmed."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What becomes of an alarm that nobody answers: after `patience` alike runs the new level is taken over.

    Two are enough if they are `days` apart, unless `patience` is above the usual three. With `hold` it stops runs for
    ever; in shadow mode, where nothing stops anyway, the new level is always taken over. What always stops is never
    taken over. It only warns after as many alike runs that cover at least `days`, or after `longer` of them if labels
    name no time.
    """

    hold: bool = False
    patience: int = PATIENCE
    longer: int = WEEK
    days: timedelta = DAYS

    def takes_over(self, cause: Cause, runs: Sequence[str]) -> bool:
        """Whether a change that these runs showed, and nobody has answered, becomes the new level."""
        is_enough = cause.level == "stop" and len(runs) >= self._seldom and self._covers(runs)
        return len(runs) >= self.patience or is_enough

    def only_warns(self, alarm: Alarm) -> bool:
        """Whether one more alike run is only warned about, because nobody has answered for so long."""
        return alarm.cause.always and alarm.state == "open" and not self.hold and self._is_old(alarm)

    def level_of(self, alarm: Alarm, again: Cause) -> Level:
        """What follows for one more run that shows the alarm; if it has spread to another column, it stops again."""
        is_old_news = self.only_warns(alarm) and set(again.columns) <= set(alarm.columns)
        return min(again.level, "warn", key=LEVELS.index) if is_old_news else again.level

    def _is_old(self, alarm: Alarm) -> bool:
        alike = alarm.runs[alarm.grown_at :]
        if _length(alike) is None:
            return alarm.alike >= max(self.longer, self.patience)
        return alarm.alike >= self._seldom and self._covers(alike)

    @property
    def _seldom(self) -> int:
        return SELDOM if self.patience <= PATIENCE else self.patience

    def _covers(self, runs: Sequence[str]) -> bool:
        length = _length(runs)
        return length is not None and length >= self.days


def _length(runs: Sequence[str]) -> timedelta | None:
    """The time from the first to the last of some runs; None if labels name no time."""
    first, last = roughly_at(runs[0]), roughly_at(runs[-1])
    return None if first is None or last is None else last - first


def follow(ledger: Iterable[Entry], policy: Policy, key: Callable[[str], Any] = str) -> tuple[Alarm, ...]:
    """Every alarm of a table in the order in which they opened; `key` orders the labels of runs.

    >>> moved = Cause("constraint", ("n",), "mean", 1)
    >>> runs = [Entry("1"), Entry("2", (moved,)), Entry("3", (moved,)), Entry("4")]
    >>> [(a.opened, len(a.runs), a.state, a.ended) for a in follow(runs, Policy())]
    [('2', 2, 'back', '4')]
    """
    found: list[Alarm] = []
    for entry in ledger:
        left = list(entry.causes)
        if entry.is_judged:
            found = [_returned(alarm, entry) for alarm in found]
        for i, alarm in enumerate(found):
            if not _goes_on(alarm, entry, key):
                continue
            again = next((c for c in left if is_same(alarm.cause, c)), None)
            if again is not None:
                left.remove(again)
                columns = tuple(dict.fromkeys((*alarm.columns, *again.columns)))
                state: State = "open" if alarm.state in ("accepted", "usual") else alarm.state
                grown_at = len(alarm.runs) if len(columns) > len(alarm.columns) else alarm.grown_at
                runs = (*alarm.runs, entry.run)
                level = policy.level_of(alarm, again)
                found[i] = replace(alarm, runs=runs, columns=columns, state=state, grown_at=grown_at, level=level)
                if alarm.snoozed_until and key(entry.run) > key(alarm.snoozed_until):
                    found[i] = replace(found[i], snoozed_until="")
            elif entry.is_judged and alarm.state != "new normal":
                found[i] = replace(alarm, ended=entry.run, state="back" if alarm.state == "open" else alarm.state)
        found += [Alarm(cause, (entry.run,), cause.columns, level=cause.level) for cause in left]
        for i, alarm in enumerate(found):
            if alarm.runs[-1] == entry.run:
                found[i] = _adapted(_answered(alarm, entry), entry, policy)
    return tuple(found)


def _goes_on(alarm: Alarm, entry: Entry, key: Callable[[str], Any]) -> bool:
    """Whether the next run may show the same alarm: it has not ended, and its level has not become the usual one."""
    if alarm.ended or alarm.state == "adapted":
        return False
    if alarm.state == "new normal":  # runs that were judged before somebody said so belong to it
        return bool(key(entry.run) <= key(alarm.normal_until))
    return True


def _answered(alarm: Alarm, entry: Entry) -> Alarm:
    """The alarm after what was said about one of its runs."""
    for answer in entry.answers:
        if answer.columns and not set(answer.columns) & set(alarm.columns):
            continue
        if answer.what == "snooze":
            alarm = replace(alarm, snoozed_until=answer.until)
        elif answer.what == "new normal":
            named = (c for c in alarm.columns if not answer.columns or c in answer.columns)
            levelled = tuple(dict.fromkeys((*alarm.levelled, *named)))
            state: State = "new normal" if set(levelled) >= set(alarm.columns) else alarm.state
            alarm = replace(alarm, state=state, levelled=levelled, normal_until=answer.until or entry.run)
        else:
            alarm = replace(alarm, state=_STATE_AFTER.get(answer.what, "rejected"))
    return alarm


def _returned(alarm: Alarm, entry: Entry) -> Alarm:
    """The alarm after a run whose columns may be as before its level."""
    away = tuple(column for column in alarm.levelled if column in entry.returned)
    if away == alarm.away == ():
        return alarm
    return replace(alarm, away=away, returned=(*alarm.returned, *((entry.run, column) for column in away)))


def _adapted(alarm: Alarm, entry: Entry, policy: Policy) -> Alarm:
    """The alarm, adapted if nobody answered for so long that its level is taken over; what always stops never is."""
    if alarm.cause.about == DRIFT and alarm.state == "open":
        return replace(alarm, state="adapted")  # reported once: the runs since are learned from, and no level moves
    may = alarm.state == "open" and not alarm.cause.always and (entry.is_shadow or not policy.hold)
    if not may or not policy.takes_over(alarm.cause, alarm.runs):
        return alarm
    return replace(alarm, state="adapted", levelled=alarm.columns)
