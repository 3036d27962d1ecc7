"""Files of text with one row per line, CSV and JSON, as far as it is certain how Spark reads them.

Such files have no types: Spark infers them from all rows of all files, and so do we. What Spark parses in a way of its
own (quotes within quotes, rows of another length, numbers beyond 64 bits, times as only Java spells them) is declined,
never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from byhistory.files import csv, json_lines
from byhistory.files.piece import Piece
from byhistory.files.reader import Declined, Reading
from byhistory.files.storage import Storage, opened
from byhistory.files.types import Struct, arrow_type

PACKED = {".gz": "gzip", ".bz2": "bz2"}
"""How a file is compressed, by its name: what Spark and pyarrow can both read everywhere."""
UNREAD = (".zst", ".lz4", ".snappy", ".deflate", ".zip", ".xz")


@dataclass(frozen=True, slots=True)
class Lines:
    """How lines are read: as `csv` or `json`, with which separator of CSV, and whether its types are inferred."""

    kind: str
    sep: str = ","
    is_typed: bool = True


def lines_of(kind: str, options: Mapping[str, str]) -> tuple[Lines | None, str]:
    """How files of a format are read with options for Spark; or None, and what prevents it.

    >>> lines_of("csv", {"sep": ";"})
    (Lines(kind='csv', sep=';', is_typed=True), '')
    >>> lines_of("csv", {"quote": "'"})
    (None, 'the option quote')
    """
    if kind not in ("csv", "json"):
        return None, f"files of {kind}"
    named = {name.lower(): value for name, value in options.items()}
    sep = named.pop("sep", named.pop("delimiter", ","))
    is_typed = named.pop("inferschema", "true").lower()
    has_header = named.pop("header", "true").lower()
    if kind == "json" and (options or named):
        return None, f"the option {next(iter(options))}"
    if named:
        return None, f"the option {next(iter(named))}"
    if has_header != "true" or is_typed not in ("true", "false"):
        return None, "CSV without names in its first line"
    if len(sep.encode()) != 1 or sep in '"\\\r\n':
        return None, f"values with {sep!r} between them"
    return Lines(kind, sep, is_typed == "true"), ""


def schema_of(paths: Sequence[str], lines: Lines, storage: Storage) -> Struct:
    """The columns of all files together, with the types that Spark infers from their rows."""
    if lines.kind == "json":
        return json_lines.schema_of(paths, lambda path: unpacked(path, storage))
    return csv.schema_of(paths, lambda path: unpacked(path, storage), lines.sep, lines.is_typed)


def batches(piece: Piece, storage: Storage, reading: Reading, lines: Lines) -> Iterator[tuple[Any, frozenset[int]]]:
    """Arrow batches with one column for each column of the reading."""
    in_path = dict(reading.from_path)
    targets = [arrow_type(type_, reading.zone) for _, type_ in reading.columns]
    wanted = [(path, type_) for i, (path, type_) in enumerate(reading.columns) if i not in in_path]
    with unpacked(piece.path, storage) as stream:
        if lines.kind == "json":
            found = json_lines.arrays(stream, piece.path, wanted)
        else:
            found = csv.arrays(stream, piece.path, lines.sep, wanted)
        for rows, arrays in found:
            own = iter(arrays)
            columns = [
                pa.repeat(pa.scalar(piece.values[in_path[i]], target), rows) if i in in_path else next(own)
                for i, target in enumerate(targets)
            ]
            names = [f"c{i}" for i in range(len(columns))]
            nothing = pa.RecordBatch.from_arrays([pa.nulls(rows)], names=["nothing"])
            yield (pa.RecordBatch.from_arrays(columns, names=names) if columns else nothing), frozenset()


@contextmanager
def unpacked(path: str, storage: Storage) -> Iterator[Any]:
    """The text of a file, decompressed."""
    lower = path.lower()
    if lower.endswith(UNREAD):
        raise Declined(f"{path} is packed in a way that only Spark unpacks")
    with opened(path, storage) as file:
        kind = next((kind for end, kind in PACKED.items() if lower.endswith(end)), "")
        yield pa.CompressedInputStream(file, kind) if kind else file
