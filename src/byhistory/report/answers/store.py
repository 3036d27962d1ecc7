"""What was read, copied or deleted in a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from byhistory.plain import LONGEST_SENTENCE, plain, plural, word

if TYPE_CHECKING:
    from byhistory.history import RunLine
    from byhistory.history.verify import Soundness


def verified(found: Soundness, where: str) -> str:
    """What is damaged, one line per problem, and how much is sound."""
    counts = [(found.tables, "table"), (found.runs, "run"), (found.profiles, "profile"), (found.decisions, "decision")]
    sound = ", ".join(plural(count, what) for count, what in [*counts, (found.settings, "setting")])
    if not found.problems:
        return f"sound: {sound} in {word(where)}"
    last = f"{plural(len(found.problems), 'problem')} in {word(where)}; sound are {sound}"
    return "\n".join([*_damaged(found), last])


def copied(source: str, to: str, found: Soundness) -> str:
    """What a copy of a store holds."""
    sound = f"{plural(found.tables, 'table')} and {plural(found.runs, 'run')}"
    return "\n".join([*_damaged(found), f"copied {word(source)} to {word(to)}: {sound} are sound"])


def pruned(table: str, gone: Sequence[RunLine], left: int, spared: int) -> str:
    """How many runs were deleted, how many are left, and how many were spared because the next run needs them."""
    lines = [f"{plural(spared, 'run')} more would go, but the next run is judged by them"] if spared else []
    profiles = plural(sum(line.columns for line in gone), "profile")
    lines.append(f"{word(table)}: forgot {plural(len(gone), 'run')} ({profiles}), {left:,} are left")
    return "\n".join(lines)


def _damaged(found: Soundness) -> list[str]:
    return [f"damaged: {plain(str(problem), LONGEST_SENTENCE)}" for problem in found.problems]
