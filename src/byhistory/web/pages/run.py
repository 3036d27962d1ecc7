"""One run: what was found, with the decision beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from byhistory.alarms import causes_from_json
from byhistory.errors import ByHistoryError
from byhistory.history import Decision, RunLine, decisions_on
from byhistory.plain import plain
from byhistory.report import Story
from byhistory.report.page import inside_html
from byhistory.report.words import headline, name_of
from byhistory.validator.standing import mark_of
from byhistory.validator.story import NO_VALUES, story_of
from byhistory.web import verbs
from byhistory.web.asking import Asked
from byhistory.web.render import render_page
from byhistory.web.verbs import Verb


@dataclass(frozen=True, slots=True)
class RenderedRun:
    """What was found in a run, as HTML, and its headline."""

    inside: Markup
    lead: str


def show(asked: Asked) -> Response:
    """The run that the address names, or the latest if it names none."""
    table, run = asked.get("t"), asked.get("r")
    lines = asked.guard.records.runs(table)
    line = found(lines, table, run)
    place = lines.index(line)
    rendered = rendered_run(asked, table, line.run)
    decisions = [d for d in asked.guard.store.decisions(table) if d.run == line.run]
    holding = decisions_on(line, decisions)
    causes = causes_from_json(line.causes)
    return render_page(
        "run",
        asked.console,
        asked.visitor,
        table=table,
        line=line,
        mark=mark_of(line),
        lead=rendered.lead,
        inside=rendered.inside,
        before=lines[place - 1].run if place else "",
        after=lines[place + 1].run if place + 1 < len(lines) else "",
        last=lines[-1].run,
        decisions=[(d, d in holding) for d in reversed(decisions)],
        verbs=offered(line, holding),
        mute=verbs.MUTE,
        columns=list(dict.fromkeys(c for cause in causes for c in cause.columns if c)),
        mutes=list(dict.fromkeys((c, cause.metric) for cause in causes for c in cause.columns if c and cause.metric)),
        seen=verbs.seen(asked.guard, line),
        alarms=[a for a in asked.console.guard.decisions.alarms(table) if line.run in a.runs],
        is_learning=asked.console.learning.is_at(table),
        version=asked.console.watch.number,
    )


def story_for(asked: Asked, table: str, run: str) -> Story:
    """The story of a run, cached as long as nothing happens to its table."""
    values = asked.visitor.account.sees_values
    key = ("story", table, run, values, asked.version(table))

    def make() -> Story:
        full = story_of(asked.of(table), run, values)
        # Values were not asked for here, so that there are none need not be said on every page.
        return replace(full, notices=tuple(n for n in full.notices if n != NO_VALUES))

    made: Story = asked.console.cache.get(key, make)
    return made


def rendered_run(asked: Asked, table: str, run: str) -> RenderedRun:
    """What was found in a run, as HTML for the page."""
    story = story_for(asked, table, run)

    def make() -> RenderedRun:
        lead = headline(story.verdict).removeprefix(name_of(story)).partition(": ")[2]
        inside = Markup(inside_html(story))  # noqa: S704 - made by the report, which escapes everything
        return RenderedRun(inside, lead[:1].upper() + lead[1:])

    key = ("run", table, run, asked.visitor.account.sees_values, asked.version(table))
    made: RenderedRun = asked.console.cache.get(key, make)
    return made


def found(lines: list[RunLine], table: str, run: str) -> RunLine:
    """The run of that label, or the latest; an error if there is none."""
    line = next((r for r in lines if r.run == run), None) if run else (lines[-1] if lines else None)
    if line is None:
        what = f"no run {plain(run)!r}" if lines else "no run of such a table"
        raise ByHistoryError(f"show the run {plain(run)} of {plain(table)}", what, "choose one from the list of tables")
    return line


def offered(line: RunLine, holding: tuple[Decision, ...]) -> list[Verb]:
    """The decisions that a run offers: accept if it alarmed, reject always, undo if something was decided."""
    alarmed = bool(causes_from_json(line.causes)) or line.outcome in ("stop", "unusual", "warn")
    found_: list[Any] = []
    for verb in verbs.ALL:
        if verb.what == "undo":
            found_ += [verb] if holding else []
        elif verb.what == "reject" or alarmed:
            found_.append(verb)
    return found_
