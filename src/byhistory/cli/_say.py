"""How a command writes: answers on stdout, everything else on stderr, and nothing that controls a terminal."""

from __future__ import annotations

import os
import shutil
import sys

import typer

from byhistory.plain import plain

_LONGEST_LINE = 100_000
"""Characters of a line, by choice: documents may have long lines, but one line must not flood a terminal."""


def safe(text: str) -> str:
    r"""The text with everything escaped that would control a terminal; line ends stay.

    >>> print(safe("price\x1b[31m\u202e"))
    price\x1b[31m\u202e
    """
    return "\n".join(plain(line, _LONGEST_LINE) for line in text.split("\n"))


def say(text: str = "") -> None:
    """Write an answer to stdout."""
    typer.echo(safe(text))


def document(text: str) -> None:
    """Write a whole document (JSON, XML, coloured text), which is already safe, to stdout."""
    typer.echo(text, color=True)


def note(text: str) -> None:
    """Write something in addition to the answer to stderr."""
    typer.echo(safe(text), err=True)


def screen_width() -> int:
    """Columns of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def is_coloured() -> bool:
    """Whether stdout is a terminal, and nobody asked for no colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
