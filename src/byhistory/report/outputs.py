"""In which formats can the answer be written?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from byhistory.errors import ByHistoryError, did_you_mean
from byhistory.plugins import added
from byhistory.report.github import to_github
from byhistory.report.junit import to_junit
from byhistory.report.machine import to_json
from byhistory.report.markdown import to_markdown
from byhistory.report.page import to_html
from byhistory.report.story import Story
from byhistory.report.table import to_csv
from byhistory.report.terminal import to_text


@dataclass(frozen=True, slots=True)
class Output:
    """A format of the answer: its name, how to `write` it, and the file endings (`suffixes`) that stand for it."""

    name: str
    write: Callable[[Story], str]
    suffixes: tuple[str, ...] = ()


ALL = (
    Output("text", to_text),
    Output("json", to_json, (".json",)),
    Output("junit", to_junit, (".xml",)),
    Output("github", to_github),
    Output("markdown", to_markdown, (".md",)),
    Output("html", to_html, (".html",)),
    Output("csv", to_csv, (".csv",)),
)


def outputs() -> tuple[Output, ...]:
    """Our formats, and those that installed packages add."""
    return (*ALL, *added("byhistory.outputs"))


def by_name(name: str) -> Output:
    """The format of that name.

    >>> by_name("markdown").suffixes
    ('.md',)
    """
    there = outputs()
    found = next((output for output in there if output.name == name), None)
    if found is None:
        names = [output.name for output in there]
        raise ByHistoryError(
            "write a verdict", f"no format {name!r}{did_you_mean(name, names)}", f"name one of {', '.join(names)}"
        )
    return found


def by_suffix(suffix: str) -> Output | None:
    """The format that a file ending stands for; None if there is none."""
    return next((output for output in outputs() if suffix.lower() in output.suffixes), None)
