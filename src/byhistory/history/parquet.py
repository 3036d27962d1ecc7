"""A run, or the programs of a table, as the bytes of one Parquet file: version 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from byhistory.errors import StoreError

VERSION = 1
_GROUP = 64
"""Profiles in one row group: what has to be read to have one of them."""

# The first row, alone in its group, has the measures and the verdict; then comes a row a column of the table.
_RUN = pa.schema([("name", pa.string()), ("profile", pa.binary()), ("measures", pa.binary()), ("verdict", pa.string())])
_PROGRAMS = pa.schema([("name", pa.string()), ("program", pa.string())])


def run_file(columns: Mapping[str, bytes], measures: bytes, verdict: str) -> bytes:
    """Profiles, measures and verdict of a run."""
    schema = _RUN.with_metadata({"byhistory_run": str(VERSION)})
    names, profiles = list(columns), list(columns.values())
    sink = pa.BufferOutputStream()
    # Profiles and measures are compressed already. Statistics would repeat whole profiles.
    small = {"name": "ZSTD", "profile": "NONE", "measures": "NONE", "verdict": "ZSTD"}
    with pq.ParquetWriter(sink, schema, compression=small, use_dictionary=False, write_statistics=False) as writer:
        writer.write_table(pa.table([[None], [None], [measures], [verdict]], schema=schema))
        for i in range(0, len(names), _GROUP):
            part = names[i : i + _GROUP]
            nothing = [None] * len(part)
            writer.write_table(pa.table([part, profiles[i : i + _GROUP], nothing, nothing], schema=schema))
    return bytes(sink.getvalue())


def read_run(file: Any, columns: Sequence[str] | None) -> tuple[dict[str, bytes], bytes, str]:
    """Back again, with some columns' profiles or all; only the groups that hold them are read."""
    with _opened(file, "byhistory_run") as parquet:
        measures, verdict = (c[0].as_py() for c in parquet.read_row_group(0, ["measures", "verdict"]).columns)
        wanted = None if columns is None else set(columns)
        found: dict[str, bytes] = {}
        for group in range(1, parquet.num_row_groups) if wanted is None or wanted else ():
            names = parquet.read_row_group(group, ["name"]).column(0).to_pylist()
            if wanted is None or not wanted.isdisjoint(names):
                profiles = parquet.read_row_group(group, ["profile"]).column(0)
                found.update((n, profiles[i].as_py()) for i, n in enumerate(names) if wanted is None or n in wanted)
    return found, measures, verdict


def read_measures(file: Any) -> bytes:
    """Nothing but the measures."""
    with _opened(file, "byhistory_run") as parquet:
        return bytes(parquet.read_row_group(0, ["measures"]).column(0)[0].as_py())


def programs_file(programs: Mapping[str, str]) -> bytes:
    """Programs by column."""
    schema = _PROGRAMS.with_metadata({"byhistory_programs": str(VERSION)})
    sink = pa.BufferOutputStream()
    table = pa.table([list(programs), list(programs.values())], schema=schema)
    pq.write_table(table, sink, compression="ZSTD", use_dictionary=False, write_statistics=False)
    return bytes(sink.getvalue())


def read_programs(file: Any) -> dict[str, str]:
    """Back again."""
    with _opened(file, "byhistory_programs") as parquet:
        names, programs = (column.to_pylist() for column in parquet.read().columns)
    return dict(zip(names, programs, strict=True))


def _opened(file: Any, what: str) -> pq.ParquetFile:
    parquet = pq.ParquetFile(file)
    version = (parquet.schema_arrow.metadata or {}).get(what.encode(), b"").decode()
    if version.isdigit() and 1 <= int(version) <= VERSION:
        return parquet
    parquet.close()
    asked = "read a file of the store"
    if version.isdigit():
        raise StoreError(asked, f"format {version}, newer than {VERSION}", "upgrade byhistory")
    raise StoreError(asked, f"a Parquet file without {what} in its schema", "move it out of the store")
