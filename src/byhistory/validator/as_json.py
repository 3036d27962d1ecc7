"""Programs, runs, alarms and due runs as JSON objects, the same from the command line and from the console."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from byhistory.alarms import Alarm
from byhistory.history import RunLine
from byhistory.learners import Learner, Program, to_json
from byhistory.validator.due import DueLine
from byhistory.validator.learnable import is_learned_from


def program_as_json(program: Program, learners: Sequence[Learner]) -> dict[str, Any]:
    """The program of one column, as it is stored."""
    return json.loads(to_json(program, learners=learners))  # type: ignore[no-any-return]  # an object, as it was written


def run_as_json(line: RunLine) -> dict[str, Any]:
    """One run: its size, how it was judged, and what was decided."""
    d = line.decision
    return {
        "run": line.run,
        "rows": line.rows,
        "columns": line.columns,
        "outcome": line.outcome,
        "note": line.note or None,
        "at": line.at.isoformat(),
        "learned_from": is_learned_from(line),
        "decision": None
        if d is None
        else {"what": d.what, "columns": list(d.columns), "who": d.who, "at": d.at.isoformat(), "why": d.why or None},
    }


def alarm_as_json(alarm: Alarm) -> dict[str, Any]:
    """One alarm: since when, what it is about, and what became of it."""
    return {
        "since": alarm.opened,
        "runs": list(alarm.runs),
        "state": alarm.state,
        "ended": alarm.ended or None,
        "level": alarm.level,
        "columns": [c for c in alarm.columns if c],
        "rows": "" in alarm.columns,
        "metric": alarm.cause.metric or None,
        "sentence": alarm.cause.sentence,
    }


def due_as_json(line: DueLine) -> dict[str, Any]:
    """One run that is late, missing or expected: when it should have come, and from when on it is late."""
    return {
        "run": line.run or None,
        "state": line.state,
        "expected": None if line.expected is None else line.expected.isoformat(),
        "late_from": None if line.late_from is None else line.late_from.isoformat(),
    }
