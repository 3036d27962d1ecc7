"""What would other budgets have stopped in the past?"""

from __future__ import annotations

from starlette.responses import Response

from byhistory.errors import ByHistoryError
from byhistory.plain import plain
from byhistory.report.answers.settings import not_promised
from byhistory.web.asking import Asked
from byhistory.web.render import render_page

BUDGETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""The budgets on the slider, by choice: each is measured by a replay of the past."""


def show(asked: Asked) -> Response:
    """Every past run judged again by the runs before it, once for each budget; what is not measured yet comes live."""
    table = asked.get("t")
    if not asked.guard.store.runs(table, last=1):
        raise ByHistoryError(f"replay {plain(table)!r}", "no run of such a table", "choose one from the list of tables")
    config = asked.of(table).config
    own = config.budget
    budgets = sorted({*BUDGETS, own})
    found = asked.console.replays.get(table, budgets, asked.version(table))
    return render_page(
        "backtest",
        asked.console,
        asked.visitor,
        table=table,
        found=found,
        budgets=len(budgets),
        own=own,
        small=not_promised(budgets[0], config.per),
        at=next((i for i, one in enumerate(found) if one.budget == own), 0),
        version=asked.console.watch.number,
    )
