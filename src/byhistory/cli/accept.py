"""Say that a run was fine."""

from __future__ import annotations

from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory accept orders 2026-11-15 --why "the shop was closed that day"
byhistory accept orders 2026-11-15 --usual --why "Black Friday comes again"
byhistory accept orders 2026-11-15 --new-normal --column amount --why "prices are in cents from now on"
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    run: o.Run,
    usual: Annotated[
        bool, typer.Option("--usual", help="This may happen again: a second level, at which the same passes.")
    ] = False,
    new_normal: Annotated[
        bool,
        typer.Option("--new-normal", help="This is how things are from now on: a new level, with the spread as known."),
    ] = False,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Only about this column; may be given many times. Default: those found unusual."
        ),
    ] = None,
    why: o.Why = "",
    who: o.Who = "",
) -> None:
    """Say that a run was fine: it is forgiven, and neither widens nor shifts what is usual."""
    from byhistory.cli._decided import decided

    with opened(ctx) as guard:
        must_know(guard, table, f"accept the run {run!r} of {table!r}")
        guard.decisions.accept(table, run, why=why, who=who, usual=usual, new_normal=new_normal, columns=column or ())
        decided(guard, table, run, "new normal" if new_normal else "usual" if usual else "accepted")
