"""How is the work of reading many files divided into equal parts?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

OPENING = 256 << 10
"""Bytes that could be read in the time it takes to open a file, which is how much an empty file counts."""
END = 1 << 62
"""Beyond the end of any file."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or its row groups that begin between two places, with what its folder says about its rows."""

    path: str
    bytes: int
    run: str | None = ""
    """The label of the run; None if its rows have none."""
    values: tuple[Any, ...] = ()
    """The values of the columns that are in the path and not in the file."""
    start: int = 0
    stop: int = END


def cut(files: Iterable[Piece], tasks: int, *, splits: bool = True) -> list[list[Piece]]:
    """At most this many tasks of about equal size, each with the pieces of few runs; empty files are left out.

    Large files are cut at places in bytes; which row groups begin after these is known once they are opened. Without
    `splits`, a file is one piece, however large it is.

    >>> [[p.path for p in task] for task in cut([Piece("a", 9 << 20), Piece("b", 5 << 20), Piece("c", 5 << 20)], 2)]
    [['a'], ['b', 'c']]
    """
    pieces = sorted((f for f in files if f.bytes), key=lambda f: (f.run is None, f.run or "", f.path))
    share = max(1, sum(p.bytes + OPENING for p in pieces) // max(1, tasks))
    return _filled([part for piece in pieces for part in (_split(piece, share) if splits else [piece])], max(1, tasks))


def _split(piece: Piece, share: int) -> Sequence[Piece]:
    """A file in as many parts as it has shares."""
    parts = max(1, round(piece.bytes / share))
    if parts == 1:
        return [piece]
    ends = [piece.bytes * i // parts for i in range(1, parts)]
    return [
        replace(piece, bytes=piece.bytes // parts, start=start, stop=stop)
        for start, stop in zip([0, *ends], [*ends, END], strict=True)
    ]


def _filled(pieces: Sequence[Piece], tasks: int) -> list[list[Piece]]:
    """One task after another: a piece belongs to the task in whose share of all the bytes its middle lies."""
    total = sum(piece.bytes + OPENING for piece in pieces)
    filled: dict[int, list[Piece]] = {}
    done = 0
    for piece in pieces:
        size = piece.bytes + OPENING
        filled.setdefault((2 * done + size) * tasks // (2 * total), []).append(piece)
        done += size
    return list(filled.values())
