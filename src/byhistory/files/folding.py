"""Fold the pieces of files of a task, run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from byhistory.errors import ByHistoryError
from byhistory.files.piece import Piece
from byhistory.files.reader import Declined, ParquetRows, Reading
from byhistory.files.shape import Shape, Unlike
from byhistory.files.storage import Storage, opened
from byhistory.rows.chunk import as_text
from byhistory.rows.field import Field
from byhistory.rows.fold import Fold
from byhistory.rows.runs import Runs

Read = Callable[[Piece], Iterator[tuple[Any, frozenset[int]]]]
"""Gives the rows of a piece as Arrow batches, with the numbers of the columns that its file does not have."""
Reader = Callable[[Storage, Reading], Read]
"""Opens a storage for a reading."""


def parquet(storage: Storage, reading: Reading, like: Shape | None = None) -> Read:
    """Reads Parquet files; `like` as in `ParquetRows`."""
    rows = ParquetRows(reading, like)

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
    """The folds of the runs of some pieces, which come run by run; each is handed out as soon as it is complete."""
    current: str | None = ""
    read = reader(storage, reading)
    for piece in pieces:
        if piece.run != current:
            yield from runs.rest()
            current = piece.run
        try:
            for batch, absent in read(piece):
                runs.add(piece.run, as_text(batch, fields), absent)
        except (Declined, Unlike, ByHistoryError):
            raise
        except Exception as why:  # storages raise all kinds of errors: for any of them Spark's reader is used
            raise Declined(f"{piece.path} cannot be read ({_in_a_line(why)})") from why
    yield from runs.rest()


def _in_a_line(why: Exception) -> str:
    """What went wrong, in one line."""
    words = " ".join(str(why).split()) or type(why).__name__
    return words if len(words) <= 200 else words[:200] + "…"


__all__ = ["Declined", "fold_pieces"]
