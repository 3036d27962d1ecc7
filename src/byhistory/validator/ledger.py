"""The ledger of a table: its runs, with what was found in them and what people answered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from byhistory.alarms import Alarm, Cause, Entry, Lessons, Policy, Reply, causes_from_json, follow, lessons
from byhistory.alarms.cause import returned_from_json
from byhistory.config import TableConfig
from byhistory.history import Decision, RunLine, decisions_on
from byhistory.profile.past import sort_bytes

STOPPED = ("stop", "unusual")
"""Outcomes of a run that was stopped; the second is what releases before 0.1 called it."""
UNJUDGED = ("backfilled", "learning")
_UNKNOWN = Cause("unknown", ("*",), always=True)
"""The cause of a stopped run whose record is older than the keeping of causes: all of the run is left out."""


def ledger(lines: Sequence[RunLine], decisions: Iterable[Decision]) -> tuple[Entry, ...]:
    """The runs in their order, each with the answers in force for the data that are there now."""
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
    """The alarms of a ledger; labels are compared by the order of the runs."""
    return follow(entries, policy_of(config), order_in(entries))


def order_in(entries: Sequence[Entry]) -> Callable[[str], bytes]:
    """A function from a label to its place in the order, also for a run that never came.

    Where runs stay in the order in which they come, such a run is over.
    """
    known = {e.run: e.order for e in entries}
    is_by_label = not entries or not entries[0].order.startswith(b"\0")
    return lambda label: known[label] if label in known else sort_bytes(label) if is_by_label else b""


def lessons_of(entries: Sequence[Entry], config: TableConfig, returned: Collection[str] = ()) -> Lessons:
    """What a ledger teaches, of columns that have `returned` as before their new level."""
    return lessons(entries, alarms_of(entries, config), returned)
