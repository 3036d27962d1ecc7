"""Files that a command wrote, and rows that it separated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from byhistory.plain import plain, plural, word

if TYPE_CHECKING:
    from byhistory.export import Export

_LONGEST_ROW = 1_000
"""Characters of a row that are shown, by choice: some lines of a terminal."""


def page(table: str, run: str, path: Path, size: int) -> str:
    """A page about a run, and its size in bytes."""
    return f"report: {word(table)} {word(run)}, {word(path)} ({size / 1024:,.0f} KB)"


def exported(table: str, done: Export, written: Iterable[Path]) -> str:
    """What another tool cannot express, the files written for it, and how many limits are in them."""
    lines = [f"not exported: {word(str(lost))}" for lost in done.unsaid]
    lines += [f"written: {word(path)}" for path in written]
    return "\n".join([*lines, f"{word(table)}: {plural(done.limits, 'limit')} for {done.title}"])


def quarantined(inside: str, outside: str) -> str:
    """Where the rows of a segment are now, and where the others."""
    return f"quarantine: {word(inside)} has the rows of the segment, {word(outside)} the others"


def rows_in_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Some rows of a segment, one line each."""
    if not rows:
        return "no rows of it are in this run"
    return "\n".join(plain(", ".join(f"{k}={v}" for k, v in row.items()), _LONGEST_ROW) for row in rows)
