"""Change what a table is judged by: mute, pin, threshold, and back."""

from __future__ import annotations

import math

from starlette.responses import RedirectResponse, Response

from byhistory.errors import ByHistoryError, near
from byhistory.web.asking import Asked
from byhistory.web.links import link

WHAT = ("mute", "pin", "threshold", "unset")


def change(asked: Asked) -> Response:
    """Keep the setting and go back to the table."""
    table = asked.field("t")
    put(
        asked,
        asked.field("what"),
        table=table,
        column=asked.field("c"),
        metric=asked.field("m").strip(),
        low=asked.field("low"),
        high=asked.field("high"),
    )
    asked.console.watch.look(table)
    return RedirectResponse(link("/table", t=table) + "#settings", 303)


def put(asked: Asked, what: str, *, table: str, column: str, metric: str, low: str = "", high: str = "") -> None:
    """The same for the pages and for machines."""
    guard, who = asked.guard, asked.visitor.name
    names = guard.guarded(table).names
    if not guard.records.runs(table):
        raise ByHistoryError(f"{what} {metric} of {table!r}", "no run of such a table", "name a table that there is")
    if metric not in names:
        raise ByHistoryError(f"{what} {metric!r}", f"no such metric{near(metric, names)}", "name one that a clause has")
    if what == "mute":
        guard.overrides.mute(table, column, metric, who=who)
    elif what == "pin":
        guard.overrides.pin(table, column, metric, who=who)
    elif what == "unset":
        guard.overrides.clear(table, column, metric, who=who)
    elif what == "threshold":
        ends = _number(low, -math.inf), _number(high, math.inf)
        if ends == (-math.inf, math.inf) or ends[0] > ends[1]:
            raise ByHistoryError(
                f"threshold of {metric}", f"low {low!r} and high {high!r}", "give a low end, a high, or both"
            )
        guard.overrides.set_threshold(table, column, metric, *ends, who=who)
    else:
        raise ByHistoryError(f"change {metric} of {table!r}", f"the word {what!r}", f"say one of {', '.join(WHAT)}")


def _number(text: str, otherwise: float) -> float:
    if not text.strip():
        return otherwise
    try:
        value = float(text)
    except ValueError as why:
        raise ByHistoryError("read a threshold", f"{text!r}", "write a number, such as 0.5") from why
    if not math.isfinite(value):
        raise ByHistoryError("read a threshold", f"{text!r}", "leave an open end empty")
    return value
