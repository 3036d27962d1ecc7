"""Many chunks of rows into one profile, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from byhistory.profile import ColumnProfile
from byhistory.rows.chunk import CHUNK_ROWS, profile_array
from byhistory.rows.field import Field, Options

CHUNK_BYTES = 64 << 20
"""Rows waiting to be summarised never hold much more than this."""
SMALL_BATCHES = 16
"""Batches from which on they are small, since rows wait for no more than a chunk."""
NARROW = 128
"""Columns up to which many parts are added at once, which is faster and more accurate and holds them for longer."""


class Fold:
    """Rows in, one profile per column out.

    It is a class because it has state: the rows that wait until there are enough of them, and the profiles of the
    chunks so far. These are kept like the digits of a number: a profile at place i is of base**i chunks. So every row
    goes through few sums, and the error of a sketch grows with the logarithm of the rows. `look` is given the rows
    before they are summarised.
    """

    def __init__(
        self, fields: tuple[Field, ...], options: Options, look: Callable[[list[Any]], None] | None = None
    ) -> None:
        self._fields, self._options, self._look = fields, options, look
        self._base = 8 if len(fields) <= NARROW else 2
        self._waiting: list[Any] = []
        self._rows = 0
        self._digits: list[list[list[ColumnProfile]]] = []
        self.waiting_bytes = 0
        self.rows = 0
        self.absent: frozenset[int] | None = None
        """The numbers of the fields that no rows so far have had: nulls only fill their place. None before any rows."""

    @property
    def parts(self) -> int:
        """How many profiles of all columns are held."""
        return sum(map(len, self._digits))

    def add(self, batch: Any, absent: frozenset[int] = frozenset()) -> None:
        """Take an Arrow record batch (or table) whose columns are the fields, in order; some of them may be absent."""
        self.rows += batch.num_rows
        self.absent = absent if self.absent is None else self.absent & absent
        for start in range(0, batch.num_rows, CHUNK_ROWS):
            part = batch.slice(start, CHUNK_ROWS) if batch.num_rows > CHUNK_ROWS else batch
            if self._rows + part.num_rows > CHUNK_ROWS:
                self.flush()
            self._waiting.append(part)
            self._rows += part.num_rows
            self.waiting_bytes += part.nbytes
            if self.waiting_bytes > CHUNK_BYTES:
                self.flush()

    def flush(self) -> None:
        """Summarise the rows that wait."""
        if not self._waiting:
            return
        self._waiting = _as_one_table(self._waiting)
        if self._look is not None:
            self._look(self._waiting)
        carry = []
        for i, field in enumerate(self._fields):
            carry.append(profile_array(_joined([batch.column(i) for batch in self._waiting]), field, self._options))
        self._waiting, self._rows, self.waiting_bytes = [], 0, 0
        for digit in self._digits:
            digit.append(carry)
            if len(digit) < self._base:
                return
            carry = _sum(digit)
            digit.clear()
        self._digits.append([carry])

    def compact(self) -> None:
        """Add up what is held, to hold less; costs a little accuracy if done often."""
        parts = [part for digit in self._digits for part in digit]
        if len(parts) > 1:
            self._digits = [[] for _ in self._digits[1:]] + [[_sum(parts)]]

    def result(self) -> list[ColumnProfile]:
        """The profiles of all rows so far, one per field, still in flight; empty profiles if there were no rows."""
        self.flush()
        parts = [part for digit in self._digits for part in digit]
        return _sum(parts or [[profile_array(pa.nulls(0), field, self._options) for field in self._fields]])


def _as_one_table(batches: list[Any]) -> list[Any]:
    """Many small batches as one table, without a copy: the work per batch would take longer than that per row."""
    if len(batches) < SMALL_BATCHES:
        return batches
    first = batches[0].schema
    if any(pa.types.is_dictionary(type_) for type_ in first.types) or any(b.schema != first for b in batches):
        return batches
    return [pa.Table.from_batches(batches)]


def _joined(arrays: list[Any]) -> Any:
    """One array; text may be codes of a dictionary in one file and text in the next."""
    if len(arrays) == 1:
        return arrays[0]
    arrays = [part for array in arrays for part in (array.chunks if isinstance(array, pa.ChunkedArray) else [array])]
    if any(array.type != arrays[0].type for array in arrays):
        arrays = [a.dictionary_decode() if isinstance(a, pa.DictionaryArray) else a for a in arrays]
    return pa.concat_arrays(arrays)


def _sum(parts: list[list[ColumnProfile]]) -> list[ColumnProfile]:
    return [ColumnProfile.sum_of(column) for column in zip(*parts, strict=True)]


def pack(part: bytes) -> bytes:
    """Compress bytes on their way from a worker to the driver: three times faster than zlib, and no larger."""
    return len(part).to_bytes(4, "little") + bytes(pa.compress(part, "zstd"))


def unpack(data: bytes) -> bytes:
    """The bytes that `pack` was given."""
    return bytes(pa.decompress(data[4:], int.from_bytes(data[:4], "little"), "zstd"))
