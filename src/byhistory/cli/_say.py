"""How a command speaks: answers on stdout, everything else on stderr, and nothing that commands a terminal."""

from __future__ import annotations

import os
import shutil
import sys

import typer

from byhistory.plain import plain

_LONGEST_LINE = 100_000
"""Characters of a line, by choice: a document may have long ones, a terminal must not be filled by one."""


def safe(text: str) -> str:
    r"""The text with what would command a terminal written out; line ends stay.

    >>> print(safe("price\x1b[31m\u202e"))
    price\x1b[31m\u202e
    """
    return "\n".join(plain(line, _LONGEST_LINE) for line in text.split("\n"))


def say(text: str = "") -> None:
    """An answer, on stdout."""
    typer.echo(safe(text))


def document(text: str) -> None:
    """A whole document (JSON, XML, coloured text) that is safe already, on stdout."""
    typer.echo(text, color=True)


def note(text: str) -> None:
    """Something beside the answer, on stderr."""
    typer.echo(safe(text), err=True)


def screen_width() -> int:
    """Columns of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def is_coloured() -> bool:
    """Whether a person's terminal reads stdout and nobody asked for none (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
