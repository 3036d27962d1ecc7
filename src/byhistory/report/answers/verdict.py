"""A verdict in one line: the last line of `byhistory check`, and the remarks that go with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.plain import plural, some_of, word
from byhistory.report.words import held_in_words, where

if TYPE_CHECKING:
    from byhistory.validator import Judged
    from byhistory.verdict import Verdict

_NAMED = 4
"""How many columns the line names, by choice."""


def last_line(answer: Judged) -> str:
    """The verdict for people who read only one line, and for scripts."""
    verdict = answer.verdict
    name = f"{word(verdict.table)} {word(verdict.run)}"
    if verdict.level != "as usual":
        causes = [cause for cause in verdict.causes if cause.level == verdict.level]
        kind = f"{verdict.level} (shadow, nothing is stopped)" if verdict.is_shadow else verdict.level
        return f"{kind}: {name}, {plural(len(causes), 'cause')}{where(causes, _NAMED)}"
    if verdict.is_learning:
        return f"learning: {name}, {answer.good_runs} of {answer.needed_runs} runs"
    return f"as usual: {name}, {held_in_words(verdict)}"


def not_whole(verdict: Verdict) -> str:
    """What keeps a verdict from being whole, for `--strict`; empty if nothing does."""
    missing = [f"{word(u.column) if u.column else 'the number of rows'}: {word(u.why)}" for u in verdict.not_judged]
    found = [*(["too few runs to judge by"] if verdict.is_learning else []), *missing]
    return f"not all was judged ({some_of(found, _NAMED)})" if found else ""


def replaced(table: str, run: str) -> str:
    """That a run was on record before."""
    return f"{word(table)}: run {word(run)} was recorded before; this record replaces it"


def not_explained(table: str, run: str, found: str) -> str:
    """That the rows could not tell why a run is not as usual; its verdict stands."""
    return f"{word(table)}: why run {word(run)} is not as usual could not be said ({word(found)})"
