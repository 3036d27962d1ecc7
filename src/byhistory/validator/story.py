"""The story of a run that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.errors import ByHistoryError
from byhistory.history import Decision, RunLine
from byhistory.profile.past import run_key
from byhistory.program import overridden
from byhistory.report.story import PastRun, Story, tell
from byhistory.validator.learning import learn_all
from byhistory.validator.memory import Memory
from byhistory.verdict import Verdict, check
from byhistory.verdict.codec import from_json

if TYPE_CHECKING:
    from byhistory.validator.validator import Validator


def story_of(validator: Validator, table: str, run: str | None = None, show_values: bool = False) -> Story:
    """What was found in a run (the latest, if none is named), with the past that it was judged by.

    The verdict is the one that was recorded; a run that was kept unjudged is judged now, by the runs before it.
    """
    lines = validator.store.runs(table)
    label = run if run is not None else lines[-1].run if lines else None
    if label is None or label not in {line.run for line in lines}:
        there = ", ".join(repr(line.run) for line in lines[-3:])
        found = f"no such run (the last ones are {there})" if there else "no runs of that table"
        raise ByHistoryError(f"show run {run!r} of {table!r}", found, "name one that `byhistory runs` lists")
    memory = Memory.of(validator.store, table, label, validator.config.table(table))
    (kept,) = validator.store.load(table, [label], ())
    notices = []
    if kept.verdict:
        verdict = from_json(kept.verdict)
    else:
        verdict = _judged_now(validator, table, label, memory)
        notices.append("the run was kept without being judged; it is judged here by the runs before it")
    now = validator.profile_of(table, label)
    if show_values and not any(p.values is not None and p.values.labels is not None for p in now.columns.values()):
        notices.append("no values were kept to show; set keep_values = true for the table and profile a run again")
    past_runs = [_past_run(line) for line in lines if run_key(line.run) <= run_key(label)]
    return tell(
        verdict,
        now,
        memory.past(),
        validator.programs(table),
        metrics=validator.metrics,
        runs=past_runs,
        show_values=show_values,
        notices=notices,
    )


def _judged_now(validator: Validator, table: str, run: str, memory: Memory) -> Verdict:
    overrides = validator.overrides(table)
    learned = learn_all(memory, validator.config.table(table), validator.programs(table), metrics=validator.metrics)
    programs = {name: overridden(p, overrides) for name, p in learned.items()}
    return check(validator.profile_of(table, run), programs, memory.past(), metrics=validator.metrics, table=table)


def _past_run(line: RunLine) -> PastRun:
    at = line.at.strftime("%Y-%m-%d %H:%M UTC")
    return PastRun(line.run, at, line.outcome, line.rows, _decided(line.decision), line.note)


def _decided(decision: Decision | None) -> str:
    if decision is None:
        return ""
    what = {"accept": "accepted", "reject": "rejected", "new normal": "declared the new normal"}
    about = f" ({', '.join(decision.columns)})" if decision.columns else ""
    why = f": {decision.why}" if decision.why else ""
    return f"{what.get(decision.what, decision.what)}{about} by {decision.who}, {decision.at:%Y-%m-%d}{why}"
