"""The pieces of files of a task, folded run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from byhistory.errors import ByHistoryError
from byhistory.files.piece import Piece
from byhistory.files.reader import Declined, ParquetRows, Reading
from byhistory.files.storage import Storage, opened
from byhistory.rows.chunk import as_text
from byhistory.rows.field import Field
from byhistory.rows.fold import Fold
from byhistory.rows.runs import Runs

Read = Callable[[Piece], Iterator[tuple[Any, frozenset[int]]]]
"""Gives the rows of a piece as Arrow batches, with the numbers of the columns that its file does not have."""
Reader = Callable[[Storage, Reading], Read]
"""Opens a storage for a reading."""


def parquet(storage: Storage, reading: Reading) -> Read:
    """Reads Parquet files."""
    rows = ParquetRows(reading)

    def read(piece: Piece) -> Iterator[tuple[Any, frozenset[int]]]:
        with opened(piece.path, storage) as file:
            yield from rows.batches(file, piece)

    return read


def fold_pieces(
    pieces: Iterable[Piece],
    reading: Reading,
    storage: Storage,
    fields: tuple[Field, ...],
    runs: Runs,
    *,
    reader: Reader = parquet,
) -> Iterator[tuple[str | None, Fold]]:
    """The folds of the runs of some pieces, which come run by run; each is given out as soon as it is whole."""
    current: str | None = ""
    read = reader(storage, reading)
    for piece in pieces:
        if piece.run != current:
            yield from runs.rest()
            current = piece.run
        try:
            for batch, absent in read(piece):
                runs.add(piece.run, as_text(batch, fields), absent)
        except (Declined, ByHistoryError):
            raise
        except Exception as why:  # a storage raises whatever its library has: all of it means that Spark is asked
            raise Declined(f"{piece.path} cannot be read ({_said(why)})") from why
    yield from runs.rest()


def _said(why: Exception) -> str:
    """What went wrong, in one line."""
    words = " ".join(str(why).split()) or type(why).__name__
    return words if len(words) <= 200 else words[:200] + "…"


__all__ = ["Declined", "fold_pieces"]
