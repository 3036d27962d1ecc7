"""One column: any metric over its runs, two runs side by side, and what must hold."""

from __future__ import annotations

from starlette.responses import Response

from byhistory.errors import ByHistoryError
from byhistory.plain import plain
from byhistory.report.shape import facts, shapes
from byhistory.validator.column import column_picture
from byhistory.web.asking import Asked
from byhistory.web.render import render_page

ZOOMS = ("14", "30", "60", "120", "all")


def show(asked: Asked) -> Response:
    """The column that the address names, with the metric and the runs that it asks for."""
    guard, table, column = asked.guard, asked.get("t"), asked.get("c")
    lines = guard.records.runs(table)
    labels = [line.run for line in lines]
    if not lines:
        raise ByHistoryError(f"show {plain(column)!r}", "no run of such a table", "choose one from the list of tables")
    zoom = asked.get("zoom") if asked.get("zoom") in ZOOMS else "60"
    asked_for, values = asked.get("m"), asked.visitor.account.sees_values
    key = ("column", table, column, asked_for, zoom, asked.version(table))
    picture = asked.console.cache.get(
        key, lambda: column_picture(asked.of(table), column, asked_for or None, None if zoom == "all" else int(zoom))
    )
    a = asked.get("a") if asked.get("a") in labels else (labels[-2] if len(labels) > 1 else labels[-1])
    b = asked.get("b") if asked.get("b") in labels else labels[-1]
    before, now = (guard.records.profile_of(table, run, [column]).columns.get(column) for run in (a, b))
    return render_page(
        "column",
        asked.console,
        asked.visitor,
        table=table,
        column=column,
        picture=picture,
        zoom=zoom,
        zooms=ZOOMS,
        labels=list(reversed(labels)),
        a=a,
        b=b,
        shapes=[s for s in shapes(now, before, values) if s.labels],
        facts=facts(now, before),
        version=asked.console.watch.number,
    )
