"""Take back what was said about a run."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory undo orders 2026-11-15
"""


def run(ctx: typer.Context, table: o.Table, run: o.Run, why: o.Why = "", who: o.Who = "") -> None:
    """Take back what was said last about a run, as if it had not been said."""
    from byhistory.cli._decided import decided

    with opened(ctx) as guard:
        must_know(guard, table, f"undo what was said about the run {run!r} of {table!r}")
        guard.decisions.undo(table, run, why=why, who=who)
        decided(guard, table, run, "undone")
