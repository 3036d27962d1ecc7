"""One answer to many alarms: the same cause in all the tables that it shows in."""

from __future__ import annotations

from starlette.responses import Response

from byhistory.errors import ByHistoryError
from byhistory.web import verbs
from byhistory.web.asking import Asked
from byhistory.web.links import pairs
from byhistory.web.pages.setting import LONGEST_REASON, REASON
from byhistory.web.render import render_page


def decide(asked: Asked) -> Response:
    """Answer every chosen run; one that cannot be answered is reported, and does not keep the others from it."""
    chosen, what = pairs(asked.form.get("run", [])), asked.field("what")
    if not chosen:
        raise ByHistoryError("answer many alarms", "none that was chosen", "choose at least one table")
    if what not in (*verbs.BY_NAME, "mute"):
        raise ByHistoryError("answer many alarms", f"the word {what!r}", f"say one of {', '.join(verbs.BY_NAME)}, mute")
    why = asked.field("why").strip()[:LONGEST_REASON]
    answered = []
    for table, run in chosen:
        try:
            _answer(asked, table, run, what, why)
            asked.after_decision(table)
            answered.append((table, run, ""))
        except ByHistoryError as error:  # noqa: PERF203 - one that cannot be answered does not stop the others
            answered.append((table, run, str(error)))
    return render_page(
        "many", asked.console, asked.visitor, answered=answered, what=what, back=asked.field("back") or "/day"
    )


def _answer(asked: Asked, table: str, run: str, what: str, why: str) -> None:
    if what != "mute":
        verbs.say(asked.guard, table, run, what, who=asked.visitor.name, why=why, until=asked.field("until").strip())
        return
    alarms = [a for a in asked.guard.decisions.alarms(table) if run in a.runs and a.cause.metric]
    places = dict.fromkeys((c, a.cause.metric) for a in alarms for c in a.columns if c)
    if not places:
        raise ByHistoryError(f"mute what was found in {run!r} of {table!r}", "no column with a metric", "reject it")
    for column, metric in places:
        asked.guard.overrides.mute(table, column, metric, who=asked.visitor.name)
        if why:
            asked.guard.records.keep(table, REASON, why, who=asked.visitor.name)
