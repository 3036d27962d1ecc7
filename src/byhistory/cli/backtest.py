"""What would have happened?"""

from __future__ import annotations

from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory backtest orders
byhistory backtest orders --budget 0.01
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    budget: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="How often a good run may be stopped, to try. Default: as configured."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Replay the past: how many alarms there would have been, and what would be caught.

    Every run is judged by the runs before it; then faults are put into every column, and those caught are counted.
    """
    from byhistory.cli._progress import counting
    from byhistory.cli._say import document, say
    from byhistory.report.answers import backtest as answer

    if budget is not None and not 0 < budget < 1:
        raise ByHistoryError(f"backtest {table!r}", f"--budget {budget}", "give a share between 0 and 1, such as 0.01")
    with opened(ctx) as guard:
        must_know(guard, table, f"backtest {table!r}")
        with counting("judging the past again", "runs") as progress:
            replay = guard.learning.backtest(table, budget, progress)
    if json:
        document(answer.to_json(table, replay))
    else:
        say(answer.in_words(table, replay))
