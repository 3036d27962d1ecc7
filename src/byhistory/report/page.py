"""The answer as one page: nothing is fetched, everything is escaped, and it can be read without a script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from byhistory.constraints import LEVELS
from byhistory.plain import arguments, plain, plain_sentence, plural
from byhistory.report.bands import with_bands
from byhistory.report.story import CauseStory, ClauseStory, ColumnStory, Story, as_story
from byhistory.report.words import (
    ClauseLine,
    after_why,
    as_sentence,
    cause_title,
    clause_lines,
    compared,
    headline,
    name_of,
    not_judged,
    unlikely,
    usual,
)
from byhistory.verdict import Finding, Verdict
from byhistory.why.shares import of_rows, written

MOST_DRAWN = 80
"""How many columns get pictures, by choice; those that are not as usual come first."""
_MEMBERS = 12
"""How many columns of one cause are named, by choice."""
_OPEN = 3
"""How many columns are shown unfolded, by choice."""
_MARKS = ("warned", "stopped", "accepted", "rejected")
_RUNS = 60
"""How many runs the page lists, by choice: two months of days."""
_NUMBERS = 10
"""How many past values are written below the picture of a broken clause, by choice."""


def to_html(of: Story | Verdict) -> str:
    """The whole page. Values of the data are on it only if the story was made with them."""
    return _rendered(as_story(of), is_inside=False)


def inside_html(of: Story | Verdict) -> str:
    """The same without head, title and answer, to be put into another page, which needs `style_and_script`."""
    return _rendered(as_story(of), is_inside=True)


def style_and_script() -> tuple[str, str]:
    """The style sheet of the page, and the script that makes its list of columns searchable."""
    return _asset("page.css"), _asset("page.js")


def _rendered(story: Story, *, is_inside: bool) -> str:
    css, js = _asset("page.css"), _asset("page.js")
    order = sorted(story.columns, key=_by_level)
    story = with_bands(story, [c.name for c in order[:MOST_DRAWN]])
    columns = sorted(story.columns, key=_by_level)
    views = [ColumnView(c, i, i <= MOST_DRAWN) for i, c in enumerate(columns, 1)]
    places = {v.column.name: v for v in views}
    notices = [*not_judged(story.verdict), *(plain_sentence(n) for n in story.notices)]
    if len(views) > MOST_DRAWN:
        notices.append(f"pictures are drawn of the first {MOST_DRAWN} columns only")
    return str(
        _template().render(
            is_inside=is_inside,
            story=story,
            verdict=story.verdict,
            lead=as_sentence(headline(story).removeprefix(name_of(story)).partition(": ")[2]),
            mark=_mark(story.verdict),
            causes=[CauseView(c, story, places) for c in story.causes],
            columns=views,
            judged=sum(len(c.verdict.outcomes) for c in story.columns),
            notices=notices,
            marks=[mark for mark in _MARKS if mark in {m for c in columns for s in c.clauses for m in s.line.marks}],
            decided=next((run.decision for run in story.runs if run.run == story.run), ""),
            commands=commands(story),
            runs=story.runs[: -_RUNS - 1 : -1],
            unlisted=max(0, len(story.runs) - _RUNS),
            css=css,
            js=js,
            policy=f"default-src 'none'; style-src {_digest(css)}; script-src {_digest(js)}; img-src data:; "
            "base-uri 'none'; form-action 'none'",
        )
    )


def _by_level(column: ColumnStory) -> tuple[int, bool]:
    """Sort key: what stops the run first, then what is warned about."""
    return -LEVELS.index(column.level), not column.findings


def commands(story: Story) -> list[tuple[str, str]]:
    """The answers to a run that was warned about or stopped, each with the command to paste into a shell.

    >>> commands(as_story(Verdict("2026-11-15", (Finding("empty batch", "", "no rows"),), {}, table="my orders")))[0]
    ('it was fine', "byhistory accept 'my orders' 2026-11-15")
    """
    if story.verdict.level == "as usual" or not story.table or not story.run:
        return []
    name = arguments(story.table, story.run)
    return [
        ("it was fine", f"byhistory accept {name}"),
        ("it was fine, and may happen again", f"byhistory accept --usual {name}"),
        ("it will be like this from now on", f"byhistory accept --new-normal {name}"),
        ("it was bad", f"byhistory reject --why … {name}"),
    ]


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A column on the page."""

    column: ColumnStory
    number: int
    is_drawn: bool

    @property
    def is_open(self) -> bool:
        """Whether it is shown unfolded: the first few columns in which something was found are."""
        return bool(self.column.findings) and self.number <= _OPEN

    @property
    def anchor(self) -> str:
        """Its anchor on the page; it has a number, because a name may be any text."""
        return f"column-{self.number}"

    @property
    def name(self) -> str:
        """The name of the column, as it is shown."""
        return plain(self.column.name) or "(no name)"

    @property
    def level(self) -> str:
        """A word for the style sheet: bad, odd (a warning), good, or none (not judged)."""
        if self.column.is_unusual:
            return "bad" if self.column.level == "stop" else "odd"
        return "good" if self.column.state == "as usual" else "none"

    @property
    def state(self) -> str:
        """Its state in words."""
        return plain_sentence(self.column.state)

    @property
    def sentences(self) -> list[str]:
        """What was found, in sentences."""
        return [plain_sentence(f.sentence, [self.column.name]) for f in self.column.findings]

    @property
    def main(self) -> ClauseStory | None:
        """The clause for the overview: a broken one, else what a person looks at first, else the first of its own."""
        if self.broken or self.column.overview is not None:
            return self.broken[0] if self.broken else self.column.overview
        clauses = self.column.clauses
        own = [c for c in clauses if c.metric is not None and c.name != "row_count"]
        return next(iter(own or clauses), None)

    @property
    def broken(self) -> list[ClauseStory]:
        """Clauses that this run does not keep."""
        return [c for c in self.column.clauses if c.outcome.status == "broken"]

    @property
    def kept(self) -> list[ClauseStory]:
        """Clauses that it keeps, or that could not be judged."""
        return [c for c in self.column.clauses if c.outcome.status != "broken"]

    @property
    def shapes(self) -> list[Any]:
        """Its distributions, without those of a single bar, which show nothing."""
        worth = [s for s in self.column.shapes if len(s.labels) > 1]
        return worth or list(self.column.shapes[:1])


@dataclass(frozen=True, slots=True)
class CauseView:
    """A cause on the page."""

    cause: CauseStory
    story: Story
    places: dict[str, ColumnView]

    @property
    def finding(self) -> Finding:
        """The finding to tell."""
        return self.cause.finding

    @property
    def title(self) -> str:
        """Where it happened."""
        title = cause_title(self.cause, self.story)
        begins_with_name = any(re.match(rf"{re.escape(plain(c.name))}\b", title) for c in self.story.columns if c.name)
        return title if self.place is not None or begins_with_name else as_sentence(title)

    @property
    def place(self) -> ColumnView | None:
        """The column, if it is only one."""
        columns = self.finding.columns
        return self.places.get(columns[0]) if len(columns) == 1 and self.finding.about == "constraint" else None

    @property
    def sentence(self) -> str:
        """What happened, unless the title already says it."""
        if self.finding.about != "constraint":
            return ""
        first = next((m for m in self.cause.members if m.outcome is self.finding.outcome), self.finding)
        return f"{as_sentence(plain_sentence(first.sentence, [c.name for c in self.story.columns]))}."

    @property
    def like(self) -> str:
        """Which fault it looks like."""
        return plain_sentence(self.finding.looks_like)

    @property
    def again(self) -> str:
        """Since when the alarm goes on; empty for a new one."""
        return as_sentence(plain_sentence(self.finding.again))

    @property
    def since(self) -> str:
        """The run in which it began, if that was before this one."""
        return plain(self.finding.since) if self.finding.since != self.story.run else ""

    @property
    def clause(self) -> ClauseStory | None:
        """The clause that is drawn."""
        own = [m for m in self.cause.members if m.outcome is not None and m.outcome is self.finding.outcome]
        drawn = [c for m in (*own, *self.cause.members) if (c := self.story.clause(m)) is not None]
        return drawn[0] if drawn else None

    @property
    def clause_lines(self) -> list[ClauseLine]:
        """The clauses that show it."""
        return clause_lines(self.cause, self.story)[:_MEMBERS]

    @property
    def more(self) -> list[str]:
        """Other columns that show it, which are only named."""
        shown = {name for s in self.clause_lines for name in s.columns}
        return [name for name in self.finding.columns if name not in shown and name in self.places]


def _mark(verdict: Verdict) -> tuple[str, str, str]:
    """A sign, the answer in a word or two, and a class of the style sheet."""
    if not verdict.ok:
        return "✕", "Not as usual (shadow mode)" if verdict.is_shadow else "Not as usual", "bad"
    if verdict.level == "warn":
        return "!", "A warning", "odd"
    return ("…", "Learning", "none") if verdict.is_learning else ("✓", "As usual", "good")


@cache
def _asset(name: str) -> str:
    return files("byhistory.report").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    """The source that the page's own content policy allows: this very text, and nothing else."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _template() -> Any:
    return environment({"page": _asset("page.html.j2")}).get_template("page")


def environment(templates: Mapping[str, str]) -> Any:
    """An environment of templates that escape everything, with the report's words, pictures and parts ("parts")."""
    from jinja2 import DictLoader, Environment, StrictUndefined
    from markupsafe import Markup

    from byhistory import __version__
    from byhistory.constraints.words import percent
    from byhistory.report import chart
    from byhistory.report.expected import from_expected

    made = Environment(
        loader=DictLoader({"parts": _asset("parts.html.j2"), **templates}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "plain": plain,
        "code": _with_code,
        "plain_sentence": plain_sentence,
        "share_written": written,
        "share_of_rows": of_rows,
        "percent_or": lambda share: "–" if share is None else percent(share),
    }
    made.globals |= {
        "chart": chart,
        "from_expected": from_expected,
        "usual": usual,
        "unlikely": unlikely,
        "compared": compared,
        "plural": plural,
        "numbers": _numbers,
        "sentence": as_sentence,
        "after_why": after_why,
        "trusted": Markup,
        "version": __version__,
    }
    return made


def _with_code(text: str) -> Any:
    """The text as HTML, with what is between backticks as code."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )


def _numbers(clause: ClauseStory) -> Sequence[tuple[str, str, str]]:
    """The last values as a table: run, value, usual."""
    line = clause.line
    rows = list(zip(line.runs, line.values, line.lows, line.highs, strict=True))[-_NUMBERS:]
    return [(plain(run), clause.write(value), _interval(clause, low, high)) for run, value, low, high in reversed(rows)]


def _interval(clause: ClauseStory, low: float, high: float) -> str:
    from dataclasses import replace

    return usual(replace(clause, outcome=replace(clause.outcome, low=low, high=high)))
