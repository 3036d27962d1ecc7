"""Say that a run was bad."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory reject orders 2026-11-15 --why "half of the shops were offline"
"""


def run(ctx: typer.Context, table: o.Table, run: o.Run, why: o.Why = "", who: o.Who = "") -> None:
    """Say that a run was bad, whatever it was judged to be, so that it is not learned from."""
    from byhistory.cli._decided import decided

    with opened(ctx) as guard:
        must_know(guard, table, f"reject the run {run!r} of {table!r}")
        guard.decisions.reject(table, run, why=why, who=who)
        decided(guard, table, run, "rejected")
