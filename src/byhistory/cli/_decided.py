"""What accept and reject answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.cli._say import plural, say, word
from byhistory.cli.runs import is_learned_from

if TYPE_CHECKING:
    from byhistory.validator import Validator


def decided(guard: Validator, table: str, run: str, what: str) -> None:
    """What was decided, about which columns, and what the next run is judged by now."""
    lines = guard.store.runs(table)
    decision = next(line.decision for line in lines if line.run == run)
    assert decision is not None  # noqa: S101 - it was just made
    if decision.columns:
        say(f"the history of {', '.join(map(word, decision.columns))} begins anew with this run")
    good = sum(map(is_learned_from, lines))
    say(f"{what}: {word(table)} {word(run)} by {word(decision.who)}; learned again from {plural(good, 'run')}")
