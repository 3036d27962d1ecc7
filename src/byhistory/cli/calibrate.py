"""Prices from a user's own past."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

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
    from byhistory.report.answers import calibration

    if budget is not None and not 0 < budget < 1:
        raise ByHistoryError("calibrate", f"--budget {budget}", "give a share between 0 and 1, such as 0.01")
    must_be_writable(out)
    with opened(ctx) as guard:
        for table in tables or ():
            must_know(guard, table, f"calibrate with {table!r}")
        with counting("looking back", "tables") as progress:
            found = guard.learning.calibrate(tables or None, budget, progress)
    if found.prices is not None:
        write(out, found.prices)
    if json:
        document(calibration.to_json(found, out))
    else:
        say(calibration.in_words(found, out))
    if found.prices is None:
        raise typer.Exit(NOT_ENOUGH)
