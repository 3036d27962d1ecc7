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
"""Formats that commands treat in a special way; `byhistory.report.outputs` has all formats."""


def rendered(story: Story, output: str) -> str:
    """One verdict as a document."""
    from byhistory import report

    return report.to_text(story, screen_width()) if output == TEXT else report.by_name(output).write(story)


def in_text(story: Story) -> str:
    """The story for the terminal, without the verdict at its end: the last line of the command gives that."""
    from byhistory import report

    return report.to_text(story, screen_width(), is_coloured()).rpartition("\n\n")[0]


def verdict_line(answer: Judged) -> None:
    """Write the last line, in the colour of the verdict if there are colours."""
    from byhistory.report.answers.verdict import last_line

    line = last_line(answer)
    colour = {"as usual": "green", "warn": "yellow", "stop": "red"}[answer.level]
    document(typer.style(line, fg=colour, bold=True) if is_coloured() else line)


def must_be_writable(path: Path | None) -> None:
    """Raise an error now rather than after all the work: by the time a verdict is written, its run is recorded."""
    if path is None:
        return
    with _written(path), nullcontext() if _is_special(path) else _draft(path):
        pass


def write(path: Path, text: str) -> None:
    """Write the whole file or none: another program may be waiting for it."""
    with _written(path):
        if _is_special(path):
            path.write_text(text, encoding="utf-8")
            return
        with _draft(path) as draft:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)


def _is_special(path: Path) -> bool:
    """Whether the path is a pipe or a device: it is written to, and no file may take its place."""
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
    """A new file beside the path; it is deleted at the end unless it has replaced the path."""
    # mkstemp makes a file that only its owner may read, and so it stays, because it is about the data.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
