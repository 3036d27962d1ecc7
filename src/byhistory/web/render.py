"""What does a page look like? Templates that escape everything."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse

from byhistory.plain import plain
from byhistory.web.access import Visitor
from byhistory.web.asking import Console
from byhistory.web.links import link, pair

SIGNS = {
    "as usual": "·",
    "warned": "!",
    "stopped": "✕",
    "accepted": "○",
    "new normal": "↗",
    "rejected": "✕",
    "learning": "…",
    "late": "?",
    "missing": "?",
}
"""A sign in each cell of the strip, in addition to its colour, for those who see no colours."""


def render_page(name: str, console: Console, who: Visitor | None, status: int = 200, **given: Any) -> HTMLResponse:
    """A page from its template."""
    seal = console.access.seal.of_form(who.session) if who is not None else ""
    text = (
        _environment()
        .get_template(name)
        .render(
            who=who,
            seal=seal,
            may_decide=who is not None and who.may("decide"),
            can_sign_out=who is not None and who.by == "session",
            **given,
        )
    )
    # What UTF-8 cannot encode in a name is never written raw: `plain` has escaped it.
    return HTMLResponse(text.encode("utf-8", "backslashreplace"), status)


def render_part(name: str, **given: Any) -> Markup:
    """A part of a page from its template."""
    return Markup(_environment().get_template(name).render(**given))  # noqa: S704 - a template that escapes everything


@cache
def _environment() -> Any:
    from byhistory.report.page import environment

    folder = files("byhistory.web").joinpath("templates")
    found = {
        entry.name.removesuffix(".html.j2"): entry.read_text("utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".html.j2")
    }
    made = environment(found)
    made.filters["lines"] = lambda text: "\n".join(plain(line, 2_000) for line in text.split("\n"))
    made.globals |= {"link": link, "pair": pair, "signs": SIGNS}
    return made
