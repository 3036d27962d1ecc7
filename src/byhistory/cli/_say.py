"""How a command speaks: answers on stdout, everything else on stderr, and nothing that commands a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

import typer

from byhistory.plain import cells as places
from byhistory.plain import plain

_FULL, _EMPTY = "█", "░"
_LONGEST_LINE = 100_000
"""Characters of a line, by choice: a document may have long ones, a terminal must not be filled by one."""
_LONGEST_WORD = 300
"""Characters of a name or value inside a line, by choice: a few lines of a terminal."""


def safe(text: str) -> str:
    r"""The text with what would command a terminal written out; line ends stay.

    >>> print(safe("price\x1b[31m\u202e"))
    price\x1b[31m\u202e
    """
    return "\n".join(plain(line, _LONGEST_LINE) for line in text.split("\n"))


def word(text: object) -> str:
    r"""A name or value inside a line: line ends are written out, too, and what would fill the screen is cut.

    >>> print(word("a\nb"))
    a\x0ab
    """
    return plain(str(text), _LONGEST_WORD)


def say(text: str = "") -> None:
    """An answer, on stdout."""
    typer.echo(safe(text))


def document(text: str) -> None:
    """A whole document (JSON, XML, coloured text) that is safe already, on stdout."""
    typer.echo(text, color=True)


def note(text: str) -> None:
    """Something beside the answer, on stderr."""
    typer.echo(safe(text), err=True)


def table(head: Sequence[str], rows: Sequence[Sequence[object]], right: Sequence[str] = ()) -> str:
    """Columns below each other; those named in `right` are aligned right.

    >>> print(table(["run", "rows"], [["a", 5], ["b", 1_000]], right=["rows"]))
    run  rows
    a       5
    b    1000
    """
    cells = [list(head), *([word(cell) for cell in row] for row in rows)]
    widths = [max(places(row[i]) for row in cells) for i in range(len(head))]

    def line(row: list[str]) -> str:
        parts = []
        for name, cell, width in zip(head, row, widths, strict=True):
            gap = " " * (width - places(cell))
            parts.append(gap + cell if name in right else cell + gap)
        return "  ".join(parts).rstrip()

    return "\n".join(map(line, cells))


def bar(share: float, width: int = 24) -> str:
    """A share as a bar.

    >>> bar(0.5, 4)
    '██░░'
    """
    filled = round(min(1.0, max(0.0, share)) * width)
    return _FULL * filled + _EMPTY * (width - filled)


def screen_width() -> int:
    """Columns of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def is_coloured() -> bool:
    """Whether a person's terminal reads stdout and nobody asked for none (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
