"""One table: its runs over time, its columns, its ledger and its settings."""

from __future__ import annotations

from starlette.responses import Response

from byhistory.constraints.words import percent
from byhistory.errors import ByHistoryError
from byhistory.plain import plain
from byhistory.report.page import ColumnView
from byhistory.validator.learnable import is_learned_from
from byhistory.validator.standing import mark_of
from byhistory.web.asking import Asked
from byhistory.web.pages.fleet import lost
from byhistory.web.pages.run import story_for
from byhistory.web.pages.setting import changed, in_words
from byhistory.web.render import render_page
from byhistory.web.rows import rows_chart
from byhistory.web.strip import strip

LISTED = 60
"""How many runs are listed at first, by choice: two months of days."""


def show(asked: Asked) -> Response:
    """The table that the address names."""
    table = asked.get("t")
    lines = asked.guard.records.runs(table)
    if not lines:
        raise ByHistoryError(f"show {plain(table)!r}", "no run of such a table", "choose one from the list of tables")
    standing, config = asked.guard.decisions.standing(table), asked.guard.guarded(table).config
    story = story_for(asked, table, lines[-1].run)
    views = [ColumnView(c, i, True) for i, c in enumerate(story.columns, 1)]
    all_ = asked.get("all") == "1"
    listed = lines if all_ else lines[-LISTED:]
    return render_page(
        "table",
        asked.console,
        asked.visitor,
        table=table,
        standing=standing,
        lost=lost([standing]),
        config=config,
        strip=strip(table, standing.strip, max(1, len(standing.strip))),
        most_rows=max(line.rows for line in lines[-LISTED * 2 :]),
        rows_chart=rows_chart(table, lines[-LISTED * 2 :]),
        lines=[(line, mark_of(line), is_learned_from(line)) for line in reversed(listed)],
        total=len(lines),
        views=sorted(views, key=lambda v: (not v.column.is_unusual, not v.column.findings)),
        overrides=[(o, in_words(o)) for o in asked.guard.overrides.of(table)],
        changes=changed(asked.guard.store.setting_changes(table)),
        has_budget=asked.guard.overrides.has_budget(table),
        metrics=sorted(asked.guard.guarded(table).names),
        budget=percent(config.budget),
        warn_budget=percent(config.warn_budget),
        is_learning=asked.console.learning.is_at(table),
        version=asked.console.watch.number,
    )
