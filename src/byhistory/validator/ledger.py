"""The ledger of a table: its runs with what was found in them, and what people said about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from byhistory.alarms import Alarm, Cause, Entry, Lessons, Policy, Reply, causes_from_json, follow, lessons
from byhistory.alarms.cause import returned_from_json
from byhistory.config import TableConfig
from byhistory.history import Decision, RunLine, decisions_on
from byhistory.profile.past import sort_bytes

STOPPED = ("stop", "unusual")
"""Outcomes of a run that was stopped; the second is how releases before 0.1 called it."""
UNJUDGED = ("backfilled", "learning")
_UNKNOWN = Cause("unknown", ("*",), always=True)
"""What a stopped run was stopped for, where its record is of before causes were kept: all of it is left out."""


def ledger(lines: Sequence[RunLine], decisions: Iterable[Decision]) -> tuple[Entry, ...]:
    """The runs in their order, each with the answers that hold for the data that are there now."""
    by_run: dict[str, list[Decision]] = {}
    for decision in decisions:
        by_run.setdefault(decision.run, []).append(decision)
    return tuple(entry(line, by_run.get(line.run, ())) for line in lines)


def entry(line: RunLine, decisions: Iterable[Decision] = ()) -> Entry:
    """One run of the ledger."""
    causes = causes_from_json(line.causes)
    answers = tuple(Reply(d.what, d.columns, d.until) for d in decisions_on(line, decisions))
    if line.outcome in STOPPED and not causes and not answers:
        causes = (_UNKNOWN,)
    returned = returned_from_json(line.causes)
    is_shadow = line.note == "shadow"
    return Entry(line.run, causes, answers, line.outcome not in UNJUDGED, is_shadow, line.order, returned)


def policy_of(config: TableConfig) -> Policy:
    """What becomes of an alarm that nobody answers."""
    return Policy(config.unanswered == "hold", config.patience)


def alarms_of(entries: Sequence[Entry], config: TableConfig) -> tuple[Alarm, ...]:
    """The alarms of a ledger; labels are compared by what the runs are sorted by."""
    return follow(entries, policy_of(config), order_in(entries))


def order_in(entries: Sequence[Entry]) -> Callable[[str], bytes]:
    """What a label is compared by, also that of a run that never came; where runs stay as they come, that is over."""
    known = {e.run: e.order for e in entries}
    is_by_label = not entries or not entries[0].order.startswith(b"\0")
    return lambda label: known[label] if label in known else sort_bytes(label) if is_by_label else b""


def lessons_of(entries: Sequence[Entry], config: TableConfig, returned: Collection[str] = ()) -> Lessons:
    """What a ledger teaches, of columns that have `returned` as before their new level."""
    return lessons(entries, alarms_of(entries, config), returned)
