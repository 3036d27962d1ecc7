"""A verdict on a terminal, or as a document for a machine."""

from __future__ import annotations

import os
import tempfile
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from byhistory.cli._say import document, is_coloured, plural, screen_width, word
from byhistory.cli.runs import is_learned_from
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.report.story import Story
    from byhistory.validator import Validator
    from byhistory.verdict import Verdict


class Output(str, Enum):
    """What a verdict is written as."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"
    MARKDOWN = "markdown"
    HTML = "html"


BY_SUFFIX = {".json": Output.JSON, ".xml": Output.JUNIT, ".md": Output.MARKDOWN, ".html": Output.HTML}
"""What a file is taken to be by its name."""


def rendered(story: Story, output: Output) -> str:
    """One verdict as a document."""
    from byhistory import report

    if output is Output.TEXT:
        return report.to_text(story, screen_width())
    if output is Output.JUNIT:
        return str(report.to_junit(story))
    if output is Output.GITHUB:
        return str(report.to_github(story))
    one = {Output.JSON: report.to_json, Output.MARKDOWN: report.to_markdown, Output.HTML: report.to_html}[output]
    return str(one(story))


def in_text(story: Story) -> str:
    """For the terminal, without the verdict that ends it: the last line says it, in one line."""
    from byhistory import report

    return report.to_text(story, screen_width(), is_coloured()).rpartition("\n\n")[0]


def verdict_line(guard: Validator, verdict: Verdict) -> None:
    """Say the last line, in the colour of the verdict where there are colours."""
    line = last_line(guard, verdict)
    document(typer.style(line, fg="green" if verdict.ok else "red", bold=True) if is_coloured() else line)


def last_line(guard: Validator, verdict: Verdict) -> str:
    """The verdict in one line: the last of stdout, for people who read only that and for scripts."""
    name = f"{word(verdict.table)} {word(verdict.run)}"
    if not verdict.ok:
        stopping = [cause for cause in verdict.causes if cause.stops]
        columns = list(dict.fromkeys(c for cause in stopping for c in (cause.columns or (cause.column,)) if c))
        where = f" in {plural(len(columns), 'column')} ({_some(columns)})" if columns else ""
        kind = "unusual, not stopped (shadow)" if verdict.is_shadow else "unusual"
        return f"{kind}: {name}, {plural(len(stopping), 'cause')}{where}"
    if verdict.is_learning:
        from byhistory.program import NEEDED_RUNS

        programs = guard.programs(verdict.table).values()
        have, need = max(((p.runs, p.needed) for p in programs), default=(0, NEEDED_RUNS))
        return f"learning: {name}, {min(have, _until(guard, verdict))} of {need} runs"
    held = [n for c in verdict.columns.values() if (n := sum(o.status == "holds" for o in c.outcomes))]
    unjudged = sum(len(c.not_evaluable) for c in verdict.columns.values())
    but = f", {unjudged:,} could not be judged" if unjudged else ""
    return f"as usual: {name}, {plural(sum(held), 'constraint')} on {plural(len(held), 'column')} hold{but}"


def _until(guard: Validator, verdict: Verdict) -> int:
    """Runs learned from that are not after this one: a late run is judged without those."""
    from byhistory.profile.past import run_key

    lines = guard.store.runs(verdict.table)
    return sum(is_learned_from(line) and run_key(line.run) <= run_key(verdict.run) for line in lines)


def _some(columns: list[str]) -> str:
    named = ", ".join(word(c) for c in columns[:4])
    return named + (f" and {len(columns) - 4} more" if len(columns) > 4 else "")


def write(path: Path, text: str) -> None:
    """The whole file or none: another program may be waiting for it."""
    try:
        descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    except OSError as why:
        raise ByHistoryError(
            f"write {path}", why.strerror or type(why).__name__, "give a path that can be written"
        ) from why
