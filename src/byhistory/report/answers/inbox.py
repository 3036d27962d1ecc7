"""What waits for an answer, one line per cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from byhistory.plain import plural, some_of
from byhistory.report.columns import table

if TYPE_CHECKING:
    from byhistory.validator import Waiting

_NAMED = 3
"""How many columns of one alarm are named, by choice."""


def in_words(lines: Sequence[Waiting]) -> str:
    """The list as a table, and what it comes to in the last line."""
    if not lines:
        return "inbox: nothing waits for an answer"
    of = f"in {plural(len({line.table for line in lines}), 'table')}"
    rows = [
        (i, line.table, line.alarm.opened, len(line.alarm.runs), _state(line), _what(line))
        for i, line in enumerate(lines, 1)
    ]
    listed = table(["#", "table", "since", "runs", "state", "what"], rows, right=["#", "runs"])
    return f"{listed}\ninbox: {plural(len(lines), 'alarm')} {of}"


def answered(count: int, left: int) -> str:
    """How many lines were answered, and how many still wait."""
    return f"answered: {plural(count, 'alarm')}; {plural(left, 'alarm')} left"


def _what(line: Waiting) -> str:
    """Where an alarm shows, and what leads; what moved with it, and how rare that is, are shown with the run."""
    cause, columns = line.alarm.cause, [c for c in line.alarm.columns if c]
    lead = cause.sentence.partition("; ")[0].partition(", and with it")[0]
    is_named = cause.about != "constraint" or "" in line.alarm.columns or not columns
    return lead if is_named else f"{some_of(columns, _NAMED)}: {lead}"


def _state(line: Waiting) -> str:
    alarm = line.alarm
    if alarm.state == "adapted":  # a slow drift moves no level: it was warned about once
        return "taken over, unanswered" if alarm.levelled else "warned once, unanswered"
    if alarm.ended:
        return f"back since {alarm.ended}"
    return "stops" if alarm.level == "stop" else "warns"
