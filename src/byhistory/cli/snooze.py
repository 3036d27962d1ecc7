"""Let an alarm wait."""

from __future__ import annotations

from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory snooze orders 2026-11-15 --until 2026-11-20 --why "mended next week"
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    run: o.Run,
    until: Annotated[str, typer.Option(metavar="LABEL", help="The last run that it shall not stop.")],
    why: o.Why = "",
    who: o.Who = "",
) -> None:
    """Let the alarms of a run stop nothing for a while; they are still shown; nothing else is judged more weakly."""
    from byhistory.cli._decided import decided

    with opened(ctx) as guard:
        must_know(guard, table, f"snooze the run {run!r} of {table!r}")
        guard.decisions.snooze(table, run, until, why=why, who=who)
        decided(guard, table, run, f"snoozed until {until}")
