"""A verdict on a terminal, or as a document for a machine."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from byhistory.cli._say import document, is_coloured, screen_width, word
from byhistory.cli.runs import is_learned_from
from byhistory.errors import ByHistoryError
from byhistory.plain import plural, some_of

if TYPE_CHECKING:
    from byhistory.report.story import Story
    from byhistory.validator import Judged


_NAMED = 4
"""Columns that the last line names, by choice."""
TEXT, JSON, JUNIT, GITHUB, HTML = "text", "json", "junit", "github", "html"
"""Formats that the commands treat in a way of their own; `byhistory.report.outputs` has them all."""


def rendered(story: Story, output: str) -> str:
    """One verdict as a document."""
    from byhistory import report

    return report.to_text(story, screen_width()) if output == TEXT else report.by_name(output).write(story)


def in_text(story: Story) -> str:
    """For the terminal, without the verdict that ends it: the last line says it, in one line."""
    from byhistory import report

    return report.to_text(story, screen_width(), is_coloured()).rpartition("\n\n")[0]


def verdict_line(answer: Judged) -> None:
    """Say the last line, in the colour of the verdict where there are colours."""
    line = last_line(answer)
    colour = {"as usual": "green", "warn": "yellow", "stop": "red"}[answer.level]
    document(typer.style(line, fg=colour, bold=True) if is_coloured() else line)


def last_line(answer: Judged) -> str:
    """The verdict in one line: the last of stdout, for people who read only that and for scripts."""
    verdict = answer.verdict
    name = f"{word(verdict.table)} {word(verdict.run)}"
    if verdict.level != "as usual":
        causes = [cause for cause in verdict.causes if cause.level == verdict.level]
        columns = list(dict.fromkeys(c for cause in causes for c in (cause.columns or (cause.column,)) if c))
        where = (
            f" in {plural(len(columns), 'column')} ({some_of([word(c) for c in columns], _NAMED)})" if columns else ""
        )
        kind = f"{verdict.level} (shadow, nothing is stopped)" if verdict.is_shadow else verdict.level
        return f"{kind}: {name}, {plural(len(causes), 'cause')}{where}"
    if verdict.is_learning:
        from byhistory.learners import NEEDED_RUNS

        have, need = max(((p.runs, p.needed) for p in answer.learned.values()), default=(0, NEEDED_RUNS))
        good = sum(map(is_learned_from, answer.runs))  # a late run is judged without those after it
        return f"learning: {name}, {min(have, good)} of {need} runs"
    from byhistory.report.words import held_in_words

    return f"as usual: {name}, {held_in_words(verdict)}"


def must_be_writable(path: Path | None) -> None:
    """An error now rather than after all the work: a run is recorded by the time that its verdict is written."""
    if path is None:
        return
    with _written(path), nullcontext() if _is_special(path) else _draft(path):
        pass


def write(path: Path, text: str) -> None:
    """The whole file or none: another program may be waiting for it."""
    with _written(path):
        if _is_special(path):
            path.write_text(text, encoding="utf-8")
            return
        with _draft(path) as draft:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)


def _is_special(path: Path) -> bool:
    """Whether a pipe or a device is there: it is written into, and no file may take its place."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        yield
    except OSError as why:
        raise ByHistoryError(
            f"write {path}", why.strerror or type(why).__name__, "give a path that can be written"
        ) from why


@contextmanager
def _draft(path: Path) -> Iterator[Path]:
    """A file beside that is gone at the end, unless it took the place of the one that is to be written."""
    # mkstemp makes a file that only its owner may read, and so it stays: it tells of the data.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
