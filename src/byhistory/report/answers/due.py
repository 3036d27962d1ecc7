"""Runs that are late or never came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from byhistory.constraints.words import duration, once_in
from byhistory.plain import plural, some_of, word
from byhistory.report.columns import table

if TYPE_CHECKING:
    from byhistory.validator import DueLine

_LISTED = 5
"""How many late runs of one table are listed, by choice: a table that nobody runs any more has one more every day."""


def in_words(lines: Sequence[DueLine], now: datetime) -> str:
    """The list as a table, and what it comes to in the last line."""
    bad = [line for line in lines if line.needs_a_look]
    counts: dict[str, int] = {}
    rows = []
    for line in bad:
        counts[line.table] = counts.get(line.table, 0) + 1
        if counts[line.table] <= _LISTED:
            rows.append(
                (line.table, line.run or "the next run", line.state, _when(line.expected), _by(line, now), _rate(line))
            )
    parts = [table(["table", "run", "state", "was due", "late by", "how often"], rows)] if rows else []
    parts += [f"{word(name)}: and {count - _LISTED} more" for name, count in counts.items() if count > _LISTED]
    unknown = [word(line.table) for line in lines if line.state == "not known yet"]
    if unknown:
        parts.append(f"too few arrivals to know when the next is due: {some_of(unknown, _LISTED)}")
    counted = {state: sum(line.state == state for line in bad) for state in ("late", "missing")}
    of = f"in {plural(len({line.table for line in lines}), 'table')}"
    if bad:
        parts.append(f"due: {counted['late']} late, {counted['missing']} missing {of}")
    else:
        parts.append(f"due: nothing is late or missing {of}{_next(lines)}")
    return "\n".join(parts)


def _next(lines: Sequence[DueLine]) -> str:
    coming = [(line.expected, line) for line in lines if line.expected is not None]
    if not coming:
        return ""
    at, first = min(coming, key=lambda pair: pair[0])
    return f"; next is {word(first.table)} {word(first.run)}".rstrip() + f", {_when(at)}"


def _when(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def _by(line: DueLine, now: datetime) -> str:
    return "" if line.expected is None else duration((now - line.expected).total_seconds(), 2)


def _rate(line: DueLine) -> str:
    return "" if line.state != "late" else f"less than {once_in(line.price)}"
