"""Which runs of a table are learned from?"""

from __future__ import annotations

from byhistory.history import RunLine
from byhistory.validator.ledger import STOPPED

ACCEPTING = ("accept", "usual", "new normal")
GOOD = ("as usual", "warn", "backfilled", "learning", "shadow")


def is_good(line: RunLine) -> bool:
    """Whether anything of a run is learned from: never if a person rejected it.

    Of a run that was stopped, the columns that were as usual are. A decision that nobody knows, of a later release or
    damaged, is none to learn from.
    """
    if line.decision is not None:
        return line.decision.what in ACCEPTING
    return line.outcome in GOOD or bool(line.causes)


def is_learned_from(line: RunLine) -> bool:
    """Whether the next programs are learned from the whole of this run.

    Of one that was stopped and forgiven they are not, as what was found in it widens nothing.
    """
    decided = None if line.decision is None else line.decision.what
    return is_good(line) and (line.outcome not in STOPPED or decided not in (None, "accept"))
