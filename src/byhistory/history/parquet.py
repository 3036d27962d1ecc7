"""A run, or the programs of a table, as the bytes of one Parquet file: version 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from byhistory.errors import StoreError
from byhistory.history.checksum import checksum
from byhistory.history.footer import Footer, read_footer, tail_of
from byhistory.history.record import Run, RunLine
from byhistory.history.refuse import damaged

VERSION = 2
_GROUP = 64
"""Profiles in one row group, all of which have to be read to get one of them."""
_MOST_PACKED = 256 << 20
"""Bytes of a file's names and verdict, or of its programs, unpacked: the verdict on 10,000 columns has 14 million."""
_MOST_ROWS = 1_000_000
"""Columns that a table may have here, by choice: a hundred times as many as the widest that was tried."""
_ENCODINGS = {"PLAIN", "RLE", "BIT_PACKED"}
"""How Parquet writes what we write. Others say one long value a million times in a few bytes."""

# The first row, alone in its group, has the measures and the verdict; then comes one row per column of the table. Each
# row has a checksum of its own, so that a part can be read by itself.
_RUN = pa.schema(
    [
        ("name", pa.string()),
        ("profile", pa.binary()),
        ("measures", pa.binary()),
        ("verdict", pa.string()),
        ("checksum", pa.string()),
    ]
)
_PROGRAMS = pa.schema([("name", pa.string()), ("program", pa.string())])


def run_file(key: bytes, run: Run) -> bytes:
    """Profiles, measures and verdict of a run that has an id."""
    schema = _RUN.with_metadata({"byhistory_run": str(VERSION)})
    names, profiles = list(run.columns), list(run.columns.values())
    sums = [_of_profile(key, run.id, i, name, run.columns[name]) for i, name in enumerate(names)]
    first = f"{_of_measures(key, run.id, run.measures)} {_of_verdict(key, run.id, run.verdict)}"
    sink = pa.BufferOutputStream()
    # Profiles and measures are compressed already. Statistics would repeat whole profiles.
    small = {"name": "ZSTD", "profile": "NONE", "measures": "NONE", "verdict": "ZSTD", "checksum": "NONE"}
    with pq.ParquetWriter(sink, schema, compression=small, use_dictionary=False, write_statistics=False) as writer:
        writer.write_table(pa.table([[None], [None], [run.measures], [run.verdict], [first]], schema=schema))
        for i in range(0, len(names), _GROUP):
            part = names[i : i + _GROUP]
            nothing = [None] * len(part)
            rows = [part, profiles[i : i + _GROUP], nothing, nothing, sums[i : i + _GROUP]]
            writer.write_table(pa.table(rows, schema=schema))
    return bytes(sink.getvalue())


def read_run(key: bytes, line: RunLine, file: Any, columns: Sequence[str] | None, has_sums: bool) -> Run:
    """The run in such a file, with the profiles of some columns or all; only the groups that hold them are read.

    `has_sums` tells whether the run was recorded with checksums, because the file does not.
    """
    with _opened(file, "byhistory_run") as parquet:
        first = parquet.read_row_group(0, ["measures", "verdict", *["checksum"] * has_sums])
        measures, verdict, *sums = (c[0].as_py() for c in first.columns)
        wanted = None if columns is None else set(columns)
        found: dict[str, bytes] = {}
        there = 0
        for group in range(1, parquet.num_row_groups) if wanted is None or wanted else ():
            names = parquet.read_row_group(group, ["name"]).column(0).to_pylist()
            if wanted is None or not wanted.isdisjoint(names):
                rows = parquet.read_row_group(group, ["profile", *["checksum"] * has_sums])
                for i, name in enumerate(names):
                    if wanted is None or name in wanted:
                        profile = rows.column(0)[i].as_py()
                        kept = rows.column(1)[i].as_py() if has_sums else None
                        if has_sums and kept != _of_profile(key, line.id, there + i, name, profile):
                            raise damaged(line.table, f"the profile of the column {name!r} in the run {line.run!r}")
                        found[name] = profile
            there += len(names)
    both = f"{_of_measures(key, line.id, measures)} {_of_verdict(key, line.id, verdict)}"
    if has_sums and sums != [both]:
        raise damaged(line.table, f"the measures or the verdict of the run {line.run!r}")
    if wanted is None and len(found) != line.columns:
        raise damaged(line.table, f"the run {line.run!r} in parts")
    about = (line.table, line.run, line.at, line.outcome, line.rows, found, measures, verdict, line.note)
    return Run(*about, line.scores, line.causes, line.id, line.digest)


def read_measures(key: bytes, line: RunLine, file: Any, has_sums: bool) -> bytes:
    """Only the measures of a run."""
    with _opened(file, "byhistory_run") as parquet:
        row = parquet.read_row_group(0, ["measures", *["checksum"] * has_sums])
        measures, *sums = (column[0].as_py() for column in row.columns)
    if has_sums and str(sums[0]).partition(" ")[0] != _of_measures(key, line.id, measures):
        raise damaged(line.table, f"the measures of the run {line.run!r}")
    return bytes(measures)


def _of_profile(key: bytes, record: str, position: int, name: str, profile: bytes) -> str:
    return checksum(key, "profile", record, position, name, data=profile)


def _of_measures(key: bytes, record: str, measures: bytes) -> str:
    return checksum(key, "measures", record, data=measures)


def _of_verdict(key: bytes, record: str, verdict: str) -> str:
    return checksum(key, "verdict", record, verdict)


def programs_file(programs: Mapping[str, str]) -> bytes:
    """The programs of all columns."""
    schema = _PROGRAMS.with_metadata({"byhistory_programs": str(VERSION)})
    sink = pa.BufferOutputStream()
    table = pa.table([list(programs), list(programs.values())], schema=schema)
    pq.write_table(table, sink, compression="ZSTD", use_dictionary=False, write_statistics=False)
    return bytes(sink.getvalue())


def read_programs(file: Any) -> dict[str, str]:
    """The programs in such a file, by column."""
    with _opened(file, "byhistory_programs") as parquet:
        names, programs = (column.to_pylist() for column in parquet.read().columns)
    return dict(zip(names, programs, strict=True))


@contextmanager
def _opened(file: Any, what: str) -> Iterator[pq.ParquetFile]:
    asked = "read a file of the store"
    try:
        tail = tail_of(file)
        with pq.ParquetFile(file, metadata=pq.read_metadata(pa.BufferReader(tail))) as parquet:
            version = (parquet.schema_arrow.metadata or {}).get(what.encode(), b"").decode("utf-8", "replace")
            if not (version.isascii() and version.isdigit()):
                raise StoreError(asked, f"a Parquet file without {what} in its schema", "move it out of the store")
            if not 1 <= int(version) <= VERSION:
                raise StoreError(asked, f"format {version}, newer than {VERSION}", "upgrade byhistory")
            _must_be_small(read_footer(tail))
            yield parquet
    except (LookupError, TypeError, AttributeError, ValueError, MemoryError, OverflowError) as damage:
        # Columns that are missing, of another type, or whose names are no text: the footer of the file is damaged.
        found = f"a damaged file ({type(damage).__name__}: {damage})"
        raise StoreError(asked, found, "restore it, or record that run again") from damage


def _must_be_small(about: Footer) -> None:
    """Raise a ValueError for a file that would fill the memory: 2 KB may unpack to a gigabyte."""
    packed = sum(abs(part.bytes) for part in about.parts if part.is_packed)
    others = {encoding for part in about.parts for encoding in part.encodings} - _ENCODINGS
    if packed > _MOST_PACKED or about.rows > _MOST_ROWS or others:
        found = ", ".join([f"{about.rows:,} rows", f"{packed:,} bytes, unpacked", *sorted(others)])
        raise ValueError(f"more or other than we write: {found}")
