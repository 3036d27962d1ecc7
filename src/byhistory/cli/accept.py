"""Say that a run was fine."""

from __future__ import annotations

from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory accept orders 2026-11-15 --why "Black Friday"
byhistory accept orders 2026-11-15 --new-normal --why "prices are in cents from now on"
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    run: o.Run,
    new_normal: Annotated[
        bool,
        typer.Option("--new-normal", help="From now on this is usual: forget the past of the columns found unusual."),
    ] = False,
    why: o.Why = "",
    who: o.Who = "",
) -> None:
    """Say that a run was fine, so that it is learned from; or that it is how things are from now on."""
    from byhistory.cli._decided import decided

    with opened(ctx) as guard:
        must_know(guard.store, table, f"accept the run {run!r} of {table!r}")
        guard.accept(table, run, why=why, who=who, new_normal=new_normal)
        decided(guard, table, run, "new normal" if new_normal else "accepted")
