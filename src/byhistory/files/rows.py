"""The rows of one run as an Arrow table, and back into files, for people who want to look at them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from byhistory.errors import ByHistoryError
from byhistory.files.choice import ChosenRun, Only
from byhistory.files.folders import label_of
from byhistory.files.here import read_here
from byhistory.files.lines import Lines, batches, schema_of
from byhistory.files.listing import listed_files
from byhistory.files.piece import Piece
from byhistory.files.reader import Reading
from byhistory.files.storage import Storage, file_system, opened, plain_path
from byhistory.files.types import Struct, leaves


def read_rows(path: str, chosen: ChosenRun, storage: Storage, lines: Lines | None = None) -> Any:
    """The rows of one run of the files at a path, without the columns that tell runs apart.

    The files are Parquet, unless `lines` says how they are read as CSV or JSON. A column that is in the path has its
    value from there.
    """
    with read_here(path):
        rows = _read(path, chosen.only, storage, lines)
        return rows.drop_columns([name for name in chosen.without if name in rows.column_names])


def _read(path: str, only: Only | None, storage: Storage, lines: Lines | None) -> Any:
    listing = listed_files(path, storage)
    names = [name for name, _ in listing.columns]
    by = only[0] if only else ()
    at = [names.index(name) for name in by]
    tables = []
    schema = schema_of([piece.path for piece in listing.files if piece.bytes], lines, storage) if lines else None
    for piece in listing.files:
        if only is not None and label_of([piece.values[i] for i in at]) != only[1]:
            continue
        table = _rows(piece, storage) if schema is None or lines is None else _of_lines(piece, storage, lines, schema)
        for name, value in zip(names, piece.values, strict=True):
            table = table.drop_columns([name]) if name in table.column_names else table
            if name not in by:
                table = table.append_column(name, pa.array([value] * table.num_rows))
        tables.append(table)
    return pa.concat_tables(tables, promote_options="permissive") if tables else pa.table({})


def _rows(piece: Piece, storage: Storage) -> Any:
    with opened(piece.path, storage) as file:
        return pq.ParquetFile(file).read()


def _of_lines(piece: Piece, storage: Storage, lines: Lines, schema: Struct) -> Any:
    own = [leaf for leaf in leaves(schema) if not leaf.type.startswith("array<")]  # lists are read as sizes only
    reading = Reading(tuple((leaf.path, leaf.type) for leaf in own))
    found = [pa.table(batch) for batch, _ in batches(piece, storage, reading, lines)] if piece.bytes else []
    names = [leaf.name for leaf in own]
    return pa.concat_tables(found).rename_columns(names) if found else pa.table({name: pa.nulls(0) for name in names})


def write_rows(table: Any, path: str, storage: Storage) -> None:
    """Write one Parquet file into a new folder; an error if the folder exists."""
    from pyarrow import fs

    system, place = file_system(path, storage), plain_path(path)
    if system.get_file_info(place).type != fs.FileType.NotFound:
        raise ByHistoryError(f"write rows to {path}", "something there already", "name a folder that is new")
    system.create_dir(place, recursive=True)
    with system.open_output_stream(f"{place}/part-0.parquet") as file:
        pq.write_table(table, file)
