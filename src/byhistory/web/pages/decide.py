"""A decision about a run, and before it a preview of what it would change."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from byhistory.errors import ByHistoryError
from byhistory.plain import plain
from byhistory.validator.preview import preview_mute
from byhistory.web import verbs
from byhistory.web.asking import Asked, Refused
from byhistory.web.links import link, parsed
from byhistory.web.pages.run import found
from byhistory.web.pages.setting import LONGEST_REASON
from byhistory.web.render import render_page
from byhistory.web.verbs import MUTE


def preview(asked: Asked) -> Response:
    """What a decision would change; nothing is kept."""
    table, run, what = asked.get("t"), asked.get("r"), asked.get("what")
    if what == MUTE.what:
        return _preview_mute(asked, table, run)
    if what not in verbs.BY_NAME:
        raise ByHistoryError(f"preview {plain(what)!r}", "no such word", f"say one of {', '.join(verbs.BY_NAME)}")
    line = found(asked.guard.records.runs(table), table, run)
    until, columns = asked.get("until"), asked.columns()
    key = ("preview", table, run, what, until, tuple(columns), asked.version(table))
    shown = asked.console.cache.get(
        key, lambda: asked.guard.decisions.preview(table, line.run, what, columns=columns, until=until)
    )
    return render_page(
        "preview", asked.console, asked.visitor, table=table, run=run, preview=shown, verb=verbs.BY_NAME[what]
    )


def _preview_mute(asked: Asked, table: str, run: str) -> Response:
    place = dict(parsed(asked.get("place")))
    column, metric = place.get("c", ""), place.get("m", "")
    key = ("mute", table, column, metric, asked.version(table))
    shown = asked.console.cache.get(key, lambda: preview_mute(asked.of(table), column, metric))
    return render_page("preview", asked.console, asked.visitor, table=table, run=run, preview=shown, verb=MUTE)


def decide(asked: Asked) -> Response:
    """Keep a decision with the name of the account, unless something happened since the form was made."""
    table, run, what = asked.field("t"), asked.field("r"), asked.field("what")
    with asked.console.deciding:  # if two decide at the same moment, the second is told of the first
        line = found(asked.guard.records.runs(table), table, run)
        if asked.field("seen") != verbs.seen(asked.guard, line):
            it, todo = f"{what} {plain(run)} of {plain(table)}", "look at the run again, and then decide"
            raise Refused(409, it, "that something was said or recorded since", todo)
        verbs.say(
            asked.guard,
            table,
            line.run,
            what,
            who=asked.visitor.name,
            why=asked.field("why").strip()[:LONGEST_REASON],
            columns=asked.columns(),
            until=asked.field("until").strip(),
        )
    asked.after_decision(table)
    return RedirectResponse(link("/run", t=table, r=run) + "#decided", 303)
