"""What a person may decide about a run, in the words of the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from byhistory.errors import ByHistoryError
from byhistory.history import RunLine, decisions_on
from byhistory.validator import Validator
from byhistory.validator.decided import decide


@dataclass(frozen=True, slots=True)
class Verb:
    """One answer: what is kept, what it is called, what it means, and its key."""

    what: str
    title: str
    means: str
    key: str
    command: str


ALL = (
    Verb(
        "accept",
        "This was fine",
        "What was found is forgiven: it is not learned from, nothing widens, and the same again alarms again.",
        "a",
        "byhistory accept",
    ),
    Verb(
        "new normal",
        "This is the new normal",
        "A new level from there on, with the spread as it was known: judged from the next run on.",
        "n",
        "byhistory accept --new-normal",
    ),
    Verb(
        "usual",
        "This may happen again",
        "A second level: the same again passes for as long as the run is among those looked back at.",
        "",
        "byhistory accept --usual",
    ),
    Verb(
        "reject",
        "Bad run",
        "Nothing of the run is learned from, and the same change goes on to stop.",
        "r",
        "byhistory reject",
    ),
    Verb(
        "snooze",
        "Not before …",
        "The alarms of this run stop nothing up to the run that you name; they are still shown.",
        "s",
        "byhistory snooze --until",
    ),
    Verb("undo", "Undo", "What was said last is taken back, as if it had not been said.", "u", "byhistory undo"),
)
MUTE = Verb(
    "mute",
    "Mute this",
    "The column is judged without this metric from now on; `unset` in the settings of the table takes it back.",
    "m",
    "byhistory mute",
)
"""It is about a column and not about a run, so it is kept as a setting."""
BY_NAME = {verb.what: verb for verb in ALL}
ABOUT_COLUMNS = ("accept", "usual", "new normal")
"""Words that may be about some columns of a run only."""


def say(
    guard: Validator,
    table: str,
    run: str,
    what: str,
    *,
    who: str,
    why: str = "",
    columns: Sequence[str] = (),
    until: str = "",
) -> None:
    """Keep a decision, as the command line does; `Asked.after_decision` sees to learning again."""
    if what not in BY_NAME:
        raise ByHistoryError(f"say {what!r} of the run {run!r}", "no such word", f"say one of {', '.join(BY_NAME)}")
    about = columns if what in ABOUT_COLUMNS else ()
    end = until if what == "snooze" else ""
    decide(guard.guarded(table), run, what, columns=about, until=end, why=why, who=who)


def seen(guard: Validator, line: RunLine) -> str:
    """What was recorded and decided when a form was made: what is new since is shown before a decision is kept."""
    decisions = decisions_on(line, guard.store.decisions(line.table))
    text = " ".join([line.id, *(d.id for d in decisions)])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
