"""Which columns do the files of a table have, if they are not all the same?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow.parquet as pq

from byhistory.errors import ByHistoryError
from byhistory.files.piece import Piece
from byhistory.files.shape import Shape
from byhistory.files.storage import Storage, opened, scheme_of
from byhistory.files.types import Nanos, SparkType, Struct, from_json, places, widens

AT_ONCE = 16
"""How many footers are requested at once over the network, by choice."""
WORTH_A_THREAD = 200
"""With fewer footers on this machine, starting a second thread takes longer than it saves."""


@dataclass(frozen=True, slots=True)
class Footer:
    """The schema that Spark reads from a file, the number of its rows, and of its row groups."""

    schema: Struct
    rows: int
    groups: int


def by_schema(pieces: Sequence[Piece], storage: Storage) -> tuple[dict[Struct, list[Piece]], Struct]:
    """The files of runs by their columns, and the columns of all files.

    A run has the columns of all of its files with rows.
    """
    footers = dict(zip((p.path for p in pieces), footers_of([p.path for p in pieces], storage), strict=True))
    by_run: dict[str | None, list[Piece]] = {}
    for piece in pieces:
        by_run.setdefault(piece.run, []).append(piece)
    found: dict[Struct, list[Piece]] = {}
    for of_run in by_run.values():
        own = [footers[p.path] for p in of_run]
        some = [footer.schema for footer in own if footer.rows] or [footer.schema for footer in own]
        found.setdefault(merged(dict.fromkeys(some)), []).extend(of_run)
    return found, merged(dict.fromkeys(footer.schema for footer in footers.values()))


def schemas_of(paths: Sequence[str], storage: Storage) -> list[Struct]:
    """The schema that Spark reads from each file."""
    return [footer.schema for footer in footers_of(paths, storage)]


def footers_of(paths: Sequence[str], storage: Storage, nanos: Nanos = "time") -> list[Footer]:
    """The footer of each file; `nanos` as in `byhistory.files.reader.Reading`."""
    is_here = bool(paths) and scheme_of(paths[0]) == "file"
    count = min(len(paths) // WORTH_A_THREAD, os.cpu_count() or 1) if is_here else min(len(paths), AT_ONCE)
    if count < 2:
        return _in_order(paths, storage, nanos)
    shares = [paths[len(paths) * i // count : len(paths) * (i + 1) // count] for i in range(count)]
    with ThreadPoolExecutor(count) as threads:
        return [
            footer
            for share in threads.map(partial(_in_order, storage=storage, nanos=nanos), shares)
            for footer in share
        ]


def merged(schemas: Iterable[Struct]) -> Struct:
    """All columns in the order of their first occurrence; if types differ, the wider one, or else the first.

    >>> str(merged([Struct((("a", "int", True),)), Struct((("A", "bigint", True), ("b", "date", True)))]))
    'struct<a:bigint,b:date>'
    """
    known: dict[str, tuple[str, SparkType, bool]] = {}
    for schema in schemas:
        for name, type_, nullable in schema.fields:
            before = known.get(name.lower())
            if before is None:
                known[name.lower()] = (name, type_, nullable)
            elif isinstance(before[1], Struct) and isinstance(type_, Struct):
                known[name.lower()] = (before[0], merged((before[1], type_)), before[2])
            elif widens(str(before[1]), str(type_)):
                known[name.lower()] = (before[0], type_, before[2])
    return Struct(tuple(known.values()))


def _in_order(paths: Sequence[str], storage: Storage, nanos: Nanos) -> list[Footer]:
    """The footers of some files, one after another; a schema equal to that of the file before is not parsed again."""
    found: list[Footer] = []
    before: Shape | None = None
    for path in paths:
        metadata, own = _metadata(path, storage)
        schema = found[-1].schema if before is not None and own.is_like(before) else _schema(own, nanos)
        before = own
        found.append(Footer(schema, metadata.num_rows, metadata.num_row_groups))
    return found


def first_shape(path: str, storage: Storage) -> tuple[Shape, Struct]:
    """The columns of a file, and the schema that Spark reads from it."""
    _, shape = _metadata(path, storage)
    return shape, _schema(shape, "time")


def _metadata(path: str, storage: Storage) -> tuple[Any, Shape]:
    """The footer of a file, and its columns."""
    try:
        with opened(path, storage) as file:
            metadata = pq.read_metadata(file)
            return metadata, Shape.of(metadata)
    except Exception as why:  # a storage raises whatever its library has
        raise ByHistoryError(
            f"read {path}",
            f"no Parquet file that can be read ({' '.join(str(why).split())[:200]})",
            "mend or remove it; other formats, and encrypted files, are read with Spark (--engine spark)",
        ) from why


def _schema(shape: Shape, nanos: Nanos) -> Struct:
    """The schema that Spark noted in the footer, or that of the columns."""
    if shape.noted:
        return _nullable(from_json(shape.noted.decode("utf-8")))
    return Struct(tuple((name, place.type, True) for name, place in places(shape.parquet, shape.arrow, nanos)))


def _nullable(schema: Struct) -> Struct:
    """The schema with nulls allowed everywhere, as Spark reads files."""
    return Struct(tuple((n, _nullable(t) if isinstance(t, Struct) else t, True) for n, t, _ in schema.fields))
