"""What accept, reject, snooze and undo answer: what changed, and how long anything is judged more weakly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.cli._say import plural, say, word
from byhistory.cli.runs import is_learned_from

if TYPE_CHECKING:
    from byhistory.validator import Validator

_MEANS = {
    "accepted": "what was found is forgiven: it is not learned from, nothing widens, and the same again alarms again",
    "usual": "what was found is learned from: limits widen for as long as the run is among those looked back at",
    "new normal": "a new level from there on, with the spread as it was known: judged from the next run on",
    "rejected": "nothing of the run is learned from, and the same change goes on to stop",
    "undone": "as if it had not been said",
}


def decided(guard: Validator, table: str, run: str, what: str) -> None:
    """What was decided and what that means, and what the next run is judged by now."""
    lines = guard.runs(table)
    if what in _MEANS:
        say(_MEANS[what])
    about = [a for a in guard.alarms(table) if run in a.runs]
    columns = [word(c) if c else "the number of rows" for a in about for c in (a.levelled or a.columns)]
    if columns:
        say(f"about: {', '.join(dict.fromkeys(columns))}")
    good = sum(map(is_learned_from, lines))
    say(f"{what}: {word(table)} {word(run)}; learned again from {plural(good, 'run')}")
