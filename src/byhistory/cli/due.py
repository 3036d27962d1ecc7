"""Runs that should be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from byhistory.validator.due import DueLine

EXAMPLES = """
byhistory due
byhistory due orders --budget 0.05
byhistory due --json
"""

UNUSUAL = 1
"""The exit code if something is late or missing."""
_LISTED = 5
"""Late runs of one table that are listed; a table that nobody runs any more has one more every day."""


def run(
    ctx: typer.Context,
    tables: Annotated[list[str] | None, typer.Argument(metavar="TABLE", help="Default: all tables.")] = None,
    budget: Annotated[
        float, typer.Option(metavar="SHARE", min=1e-6, max=0.5, help="How often a good run may be called late.")
    ] = 0.01,
    back: Annotated[
        int, typer.Option(metavar="N", min=0, help="Look for runs that never came among the last N places.")
    ] = 7,
    json: o.Json = False,
) -> None:
    """List runs that are late or never came, over all tables, and exit with 1 if there are any.

    When a run is due is learned from when earlier ones arrived and from what their labels say: days, weekdays, hours,
    weeks, months. Runs that were backfilled say nothing about arrival. Nothing is read but the history.
    """
    from byhistory.cli._say import document, say

    with opened(ctx) as guard:
        for name in tables or ():
            must_know(guard, name, f"say when {name!r} is due")
        now = guard.now()
        lines = guard.due(tables or None, budget, back)
    if json:
        document(_as_json(lines, now))
    else:
        say(in_words(lines, now))
    if any(line.needs_a_look for line in lines):
        raise typer.Exit(UNUSUAL)


def in_words(lines: Sequence[DueLine], now: datetime) -> str:
    """The list as a table, and what it comes to in the last line."""
    from byhistory.cli._say import table, word
    from byhistory.plain import plural, some_of

    bad = [line for line in lines if line.needs_a_look]
    told: dict[str, int] = {}
    rows = []
    for line in bad:
        told[line.table] = told.get(line.table, 0) + 1
        if told[line.table] <= _LISTED:
            rows.append(
                (line.table, line.run or "the next run", line.state, _when(line.expected), _by(line, now), _rate(line))
            )
    parts = [table(["table", "run", "state", "was due", "late by", "how often"], rows)] if rows else []
    parts += [f"{word(name)}: and {count - _LISTED} more" for name, count in told.items() if count > _LISTED]
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
    from byhistory.cli._say import word

    first = min((line for line in lines if line.expected is not None), key=lambda line: line.expected, default=None)  # type: ignore[arg-type, return-value]  # none is left without one
    return (
        ""
        if first is None
        else f"; next is {word(first.table)} {word(first.run)}".rstrip() + f", {_when(first.expected)}"
    )


def _when(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


def _by(line: DueLine, now: datetime) -> str:
    from byhistory.constraints.words import duration

    return "" if line.expected is None else duration((now - line.expected).total_seconds(), 2)


def _rate(line: DueLine) -> str:
    from byhistory.constraints.words import once_in

    return "" if line.state != "late" else f"less than {once_in(line.price)}"


def _as_json(lines: Sequence[DueLine], now: datetime) -> str:
    from byhistory.plain import as_json
    from byhistory.validator.as_json import due_as_json

    runs = [
        {"table": line.table, **due_as_json(line), "price": line.price if line.state == "late" else None}
        for line in lines
    ]
    return as_json({"byhistory_due": 1, "now": now.isoformat(), "runs": runs})
