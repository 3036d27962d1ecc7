"""What is the state of a table: its last runs, its alarms, and what is due?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from byhistory.alarms import Alarm
from byhistory.history import RunLine
from byhistory.profile.past import run_key
from byhistory.validator.due import DueLine, due_of
from byhistory.validator.guarded import Guarded
from byhistory.validator.ledger import STOPPED, alarms_of, ledger
from byhistory.validator.undelivered import Undelivered, kept_undelivered, key_of_alarm, key_of_late

SHOWN = 60
"""How many runs the strip of a table has, by choice: two months of days."""

Mark = Literal["as usual", "warned", "stopped", "accepted", "new normal", "rejected", "learning", "late", "missing"]
"""What a run is in the strip: how it was judged, or what a person decided since."""
State = Literal["stopped", "late", "warned", "unanswered", "as usual", "learning"]
STATES: tuple[State, ...] = ("stopped", "late", "warned", "unanswered", "as usual", "learning")
"""The states of a table, the worst first. `unanswered`: an alarm that was taken over as the new level."""

_DECIDED: dict[str, Mark] = {
    "accept": "accepted",
    "usual": "accepted",
    "new normal": "new normal",
    "reject": "rejected",
}
_JUDGED: dict[str, Mark] = {
    "stop": "stopped",
    "unusual": "stopped",
    "warn": "warned",
    "learning": "learning",
    "backfilled": "learning",
}


@dataclass(frozen=True, slots=True)
class StripRun:
    """One run in the strip; one that is late or missing has a label and nothing else."""

    run: str
    mark: Mark
    at: datetime | None = None
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one table: its last runs, its alarms, and how often its alarms were right.

    `stopped` of its last runs were stopped; `answered` of these got an answer, and `right` were confirmed: somebody
    rejected the run or declared a new normal. `looks_again` is the time at which `due` may change without a new run.
    `undelivered` are messages of `byhistory notify` that failed, about alarms that still wait.
    """

    table: str
    strip: tuple[StripRun, ...]
    runs: int
    alarms: tuple[Alarm, ...]
    due: tuple[DueLine, ...]
    stopped: int
    answered: int
    right: int
    looks_again: datetime | None = None
    undelivered: tuple[Undelivered, ...] = ()

    @property
    def waiting(self) -> tuple[Alarm, ...]:
        """The alarms that somebody should answer."""
        return tuple(a for a in self.alarms if a.is_waiting)

    @property
    def last(self) -> StripRun | None:
        """The latest run that arrived; None if there is none."""
        return next((r for r in reversed(self.strip) if r.at is not None), None)

    @property
    def state(self) -> State:
        """The worst of its states, in one word."""
        going = [a for a in self.waiting if a.state == "open"]
        if any(a.level == "stop" for a in going):
            return "stopped"
        if any(line.needs_a_look for line in self.due):
            return "late"
        if going:
            return "warned"
        if self.waiting:
            return "unanswered"
        return "learning" if self.last is None or self.last.mark == "learning" else "as usual"


def standing(of: Guarded) -> Standing:
    """The state of a table now."""
    lines = of.lines()
    entries = ledger(lines, of.store.decisions(of.table))
    due = due_of(of.table, lines, of.clock())
    shown = lines[-SHOWN:]
    # Only alarms that show in these runs: the table's own page has those that are long over.
    names = {line.run for line in shown}
    alarms = tuple(a for a in alarms_of(entries, of.config) if a.is_waiting or names.intersection(a.runs))
    stopped = [line for line in shown if line.outcome in STOPPED]
    answers = [line.decision.what for line in stopped if line.decision is not None]
    right = sum(what in ("reject", "new normal") for what in answers)
    times = [t for line in due for t in (line.expected, line.late_from) if t is not None and t > of.clock()]
    strip = _strip(shown, due)
    again = min(times, default=None)
    undelivered = _undelivered(of, alarms, due)
    return Standing(
        of.table, strip, len(lines), alarms, tuple(due), len(stopped), len(answers), right, again, undelivered
    )


def _undelivered(of: Guarded, alarms: Sequence[Alarm], due: Sequence[DueLine]) -> tuple[Undelivered, ...]:
    """The messages about this table that did not arrive; the store is not asked if nothing waits, as in most tables."""
    keys = {key_of_alarm(a) for a in alarms if a.is_waiting and not a.snoozed_until}
    keys |= {key_of_late(line) for line in due if line.needs_a_look}
    return tuple(one for one in kept_undelivered(of.store, of.table) if one.key in keys) if keys else ()


def mark_of(line: RunLine) -> Mark:
    """The mark of a run in the strip."""
    if line.decision is not None:
        return _DECIDED.get(line.decision.what, "rejected")
    return _JUDGED.get(line.outcome, "as usual")


def _strip(lines: Sequence[RunLine], due: Sequence[DueLine]) -> tuple[StripRun, ...]:
    came = [StripRun(line.run, mark_of(line), line.at, line.rows) for line in lines]
    states: dict[str, Mark] = {"missing": "missing", "late": "late"}
    missing = [StripRun(line.run, states[line.state]) for line in due if line.state in states and line.run]
    if not missing:
        return tuple(came)
    return tuple(sorted([*came, *missing], key=lambda r: run_key(r.run)))
