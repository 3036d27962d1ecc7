"""A random sample of whole rows, for fault injection; it is never stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.profile.arrays import Floats
from byhistory.rows.arrays import as_array, as_numpy

SAMPLE_ROWS = 4096
"""Rows of a sample, by choice: a fault in one row of a hundred hits 41 ± 6 of them, and 256 columns are a million
cells."""
SAMPLE_BYTES = 64 << 20
"""Bytes of a sample, at most (by choice): one that grows beyond, with rows of many megabytes, is halved until it
fits."""
PRIORITY = "__priority"


class Sampler:
    """The rows with the smallest random numbers: a uniform sample, however many rows there are.

    It is a class because it has state: the rows chosen so far. Samples of parts are merged the same way, by `smallest`.
    """

    def __init__(self, rows: int = SAMPLE_ROWS, seed: int | tuple[int, ...] = 0) -> None:
        self._rows = rows
        self._random = np.random.default_rng(seed)  # noqa: TID251 - the seed is an argument
        self._kept: list[tuple[Floats, Any]] = []
        self._count = self._bytes = 0
        self._limit = 1.0

    def add(self, batch: Any) -> None:
        """Look at the rows of one Arrow record batch."""
        if not self._rows or not batch.num_rows:
            return
        priority = self._random.random(batch.num_rows)
        chosen = np.flatnonzero(priority < self._limit)
        if not len(chosen):
            return
        known = np.concatenate([*(p for p, _ in self._kept), priority[chosen]])
        if len(known) > self._rows:  # rows that can no longer be in the sample are not even copied
            self._limit = float(np.partition(known, self._rows - 1)[self._rows - 1])
            chosen = chosen[priority[chosen] <= self._limit]
        some = pa.table([_plain(c) for c in batch.take(as_array(chosen)).columns], names=batch.schema.names)
        self._kept.append((priority[chosen], some))
        self._count += len(chosen)
        self._bytes += some.nbytes
        if self._count > 2 * self._rows or self._bytes > 2 * SAMPLE_BYTES:
            self._shrink()

    def _shrink(self) -> None:
        if not self._kept:
            return
        table = pa.concat_tables([t for _, t in self._kept])
        priority = np.concatenate([p for p, _ in self._kept])
        table, priority = smallest(table, priority, self._rows)
        while table.nbytes > SAMPLE_BYTES and self._rows > 1:
            self._rows //= 2
            table, priority = smallest(table, priority, self._rows)
        self._kept, self._count, self._bytes = [(priority, table)], len(priority), table.nbytes
        if len(priority) == self._rows:
            self._limit = float(priority.max())

    def result(self, schema: Any) -> Any:
        """The sample as an Arrow table, in random order."""
        self._shrink()
        return self._kept[0][1] if self._kept else schema.empty_table()

    def with_priorities(self, schema: Any) -> Any:
        """The sample with the random number of each row, to be merged with samples of other parts."""
        table = self.result(schema)
        priority = self._kept[0][0] if self._kept else np.zeros(0)
        # Behind the limit this part has rows that are not in its sample.
        return table.append_column(
            pa.field(PRIORITY, pa.float64(), metadata={"limit": repr(self._limit)}), [as_array(priority)]
        )


def _plain(column: Any) -> Any:
    """A column of codes written out: each part of a file may have other codes."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def smallest(table: Any, priority: Floats, rows: int) -> tuple[Any, Floats]:
    """The rows with the smallest priorities."""
    order = np.argsort(priority)[:rows]
    return table.take(as_array(order)), priority[order]


def merged_sample(tables: list[Any], rows: int) -> Any:
    """One sample from the samples of parts (see `Sampler.with_priorities`)."""
    limit = min(float(table.schema.field(PRIORITY).metadata[b"limit"]) for table in tables)
    table = pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    priority = as_numpy(table.column(PRIORITY).combine_chunks())
    rows = min(rows, int(np.count_nonzero(priority <= limit)))
    return smallest(table.drop_columns([PRIORITY]), priority, rows)[0]


def to_ipc(table: Any) -> bytes:
    """A sample as bytes, to be sent."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def from_ipc(data: bytes) -> Any:
    """The sample that `to_ipc` was given."""
    return pa.ipc.open_stream(data).read_all()
