"""What accept, reject, snooze and undo have in common: they tell what the decision changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.cli._say import say

if TYPE_CHECKING:
    from byhistory.validator import Validator


def decided(guard: Validator, table: str, run: str, what: str) -> None:
    """Tell what was decided and what that means: what passes now, and how long anything is judged more weakly."""
    from byhistory.report.answers import decision
    from byhistory.validator.learnable import is_learned_from

    lines = guard.records.runs(table)
    said = next((line.decision for line in lines if line.run == run), None)
    named = said.columns if said is not None and what != "undone" else ()
    shown = [alarm for alarm in guard.decisions.alarms(table) if run in alarm.runs]
    about = [alarm for alarm in shown if not named or set(named) & set(alarm.columns)] or shown
    repeated = guard.decisions.verdict_if_repeated(table, run) if about else None
    good, window = sum(map(is_learned_from, lines)), guard.config.table(table).window
    more = decision.decided(table, run, what, about=about, named=named, repeated=repeated, good=good, window=window)
    say(more)
