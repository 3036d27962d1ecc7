"""How often may a good run of a table be stopped?"""

from __future__ import annotations

from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory budget orders
byhistory budget orders 0.02 --warn 0.1 --who ann
byhistory budget orders --unset
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    share: Annotated[
        float | None, typer.Argument(metavar="SHARE", help="How often a good run may be stopped: 0.01 is 1 %.")
    ] = None,
    warn: Annotated[
        float | None, typer.Option(metavar="SHARE", help="How often it may be stopped or warned about; 0 never warns.")
    ] = None,
    unset: Annotated[bool, typer.Option("--unset", help="Let byhistory.toml say it again.")] = False,
    who: o.Who = "",
) -> None:
    """Show the budget of a table, or give it one that wins over byhistory.toml; `byhistory backtest` tries some.

    It is kept in the store, so that the console and every job know it. The next check learns within it.
    """
    from byhistory.cli._say import say
    from byhistory.report.answers import settings as answer

    if unset and (share is not None or warn is not None):
        raise ByHistoryError(f"give {table!r} a budget", "--unset beside a share", "say one of the two")
    with opened(ctx) as guard:
        must_know(guard, table, f"give {table!r} a budget")
        if unset:
            guard.overrides.clear_budget(table, who=who)
        elif share is not None or warn is not None:
            guard.overrides.set_budget(table, share, warn, who=who)
        config = guard.guarded(table).config
        by_command = guard.overrides.has_budget(table)
    say(answer.budget(table, config.budget, config.warn_budget, per=config.per, by_command=by_command))
