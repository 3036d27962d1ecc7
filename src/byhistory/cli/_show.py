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

from byhistory.cli._say import document, is_coloured, screen_width
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.report.story import Story
    from byhistory.validator import Judged


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
    from byhistory.report.answers.verdict import last_line

    line = last_line(answer)
    colour = {"as usual": "green", "warn": "yellow", "stop": "red"}[answer.level]
    document(typer.style(line, fg=colour, bold=True) if is_coloured() else line)


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
