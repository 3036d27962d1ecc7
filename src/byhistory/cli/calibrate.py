"""Prices from one's own past."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.validator import Calibration

NOT_ENOUGH = 3
"""The exit code if there are too few runs to measure prices on."""
EXAMPLES = """
byhistory calibrate
byhistory calibrate orders customers payments --out prices.json --budget 0.01
"""


def run(
    ctx: typer.Context,
    tables: Annotated[list[str] | None, typer.Argument(metavar="TABLE", help="Default: all in the store.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where the prices are written to.")] = Path(
        "prices.json"
    ),
    budget: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="How often a good run may be stopped. Default: as configured."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Measure prices on your own past runs, in place of those that come with byhistory.

    Looks back from every good run in the store, says how often the shipped prices would have stopped one, and writes
    prices of your own where there are enough runs of enough tables. Exits with 3, and writes nothing, if there are not.
    """
    from byhistory.cli._progress import counting
    from byhistory.cli._say import document, say
    from byhistory.cli._show import must_be_writable, write
    from byhistory.plain import as_json

    if budget is not None and not 0 < budget < 1:
        raise ByHistoryError("calibrate", f"--budget {budget}", "give a share between 0 and 1, such as 0.001")
    must_be_writable(out)
    with opened(ctx) as guard:
        for table in tables or ():
            must_know(guard, table, f"calibrate with {table!r}")
        with counting("looking back", "tables") as progress:
            found = guard.learning.calibrate(tables or None, budget, progress)
    if found.prices is not None:
        write(out, found.prices)
    if json:
        document(as_json(_json(found, out)))
    else:
        say(in_words(found, out))
    if found.prices is None:
        raise typer.Exit(NOT_ENOUGH)


def in_words(found: Calibration, output: Path) -> str:
    """What was measured, as a table, and what to do with it."""
    from byhistory.cli._say import table, word
    from byhistory.constraints.words import percent
    from byhistory.plain import plural

    def rate(of: Any) -> str:
        low, high = of.interval
        return f"{percent(of.share)} ({percent(low)} to {percent(high)})"

    rows = [
        (
            f.kind,
            f.history,
            f"{f.shipped.judged:,}",
            f.tables,
            rate(f.shipped),
            rate(f.own) if f.own else "not enough",
        )
        for f in found.families
    ]
    lines = []
    if rows:
        lines.append(f"columns of good runs that would have been stopped within a budget of {percent(found.budget)}:")
        head = ["columns", "history", "judged", "tables", "by the shipped prices", "by your own, from other tables"]
        lines += [table(head, rows, right=["history", "judged", "tables"]), ""]
    if found.undecided:
        lines += [
            f"{plural(found.undecided, 'run')} stopped and never decided on: left out, so these rates may be too low; "
            "`byhistory accept` those that were fine, `byhistory reject` the others, and calibrate again",
            "",
        ]
    if found.prices is None:
        most = max((f.shipped.judged for f in found.families), default=0)
        tables = max((f.tables for f in found.families), default=0)
        lines.append(
            f"not enough history for prices of your own: columns of good runs were judged {most:,} times, in "
            f"{plural(tables, 'table')}; a budget of {percent(found.budget)} needs {found.needed:,} "
            f"in {found.needed_tables}; the shipped prices stay in use"
        )
    else:
        lines.append(
            f'written to {word(str(output))}: to use them, put prices = "{word(str(output))}" into byhistory.toml'
        )
    return "\n".join(lines)


def _json(found: Calibration, output: Path) -> dict[str, Any]:
    def rate(of: Any) -> dict[str, Any] | None:
        if of is None:
            return None
        low, high = of.interval
        return {"stopped": of.stopped, "judged": of.judged, "rate": of.share, "rate_low": low, "rate_high": high}

    return {
        "byhistory_calibrate": 1,
        "budget": found.budget,
        "needed_runs": found.needed,
        "undecided_runs": found.undecided,
        "prices": None if found.prices is None else str(output),
        "families": [
            {"kind": f.kind, "history": f.history, "tables": f.tables, "shipped": rate(f.shipped), "own": rate(f.own)}
            for f in found.families
        ],
    }
