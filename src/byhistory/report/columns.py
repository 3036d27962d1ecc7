"""Rows of text with aligned columns, and bars in them."""

from __future__ import annotations

from collections.abc import Sequence

from byhistory.plain import cells as places
from byhistory.plain import word

_FULL, _EMPTY = "█", "░"


def table(head: Sequence[str], rows: Sequence[Sequence[object]], right: Sequence[str] = ()) -> str:
    """A table in text; the columns named in `right` are aligned right.

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
