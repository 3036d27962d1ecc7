"""The files of a table to profiles in this process: the same reading and the same fold, without Spark."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from byhistory.errors import BadInput, ByHistoryError
from byhistory.files.folding import fold_pieces
from byhistory.files.listing import Listing, label_of, listed_files
from byhistory.files.piece import OPENING, Piece, cut
from byhistory.files.reader import Declined, Reading
from byhistory.files.storage import Storage, opened
from byhistory.files.types import Leaf, Struct, arrow_type, from_json, kind_of, leaves, places
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.profile.past import run_key
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.local import checked_kind, listed, select_columns
from byhistory.rows.runs import Runs
from byhistory.rows.sample import SAMPLE_ROWS, merged_sample

WORTH_A_THREAD = 1 << 20
"""Bytes of files below which starting a second thread takes longer than it saves."""
SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
"""Where Spark writes the schema of a file, which then is the schema whatever the columns look like."""


def profile_files(
    path: str,
    *,
    run: str = "",
    only: tuple[Sequence[str], str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    include: Collection[str] | None = None,
    exclude: Collection[str] = (),
    options: Options | None = None,
    sample_rows: int = SAMPLE_ROWS,
    seed: int = 0,
    storage: Storage | None = None,
) -> TableProfile:
    """Profile the Parquet files at a path as one run; `only` as in `byhistory.spark.files.profile_files`."""
    table = _Table.of(path, tuple(only[0]) if only else (), storage or {})
    pieces = table.listing.files
    if only is not None:
        pieces = tuple(p for p in pieces if table.label(p) == only[1])
    fields, reading, unread = table.chosen(kinds or {}, include, exclude)
    how = _How(fields, reading, options or Options(), sample_rows, seed, storage or {}, unread)
    found = _folded(path, [replace(piece, run="") for piece in pieces], how, "")
    return _assembled(run, found.get("", _Parts()), how)


def profile_run_files(
    path: str,
    by: Sequence[str],
    *,
    kinds: Mapping[str, Kind] | None = None,
    include: Collection[str] | None = None,
    exclude: Collection[str] = (),
    options: Options | None = None,
    sample_rows: int = SAMPLE_ROWS,
    seed: int = 0,
    storage: Storage | None = None,
) -> dict[str, TableProfile]:
    """Profile all runs of a table whose folders say which run a file is of, in the order of their labels."""
    table = _Table.of(path, tuple(by), storage or {})
    fields, reading, unread = table.chosen(kinds or {}, include, exclude)
    how = _How(fields, reading, options or Options(), sample_rows, seed, storage or {}, unread)
    pieces = [replace(piece, run=table.label(piece)) for piece in table.listing.files]
    labels = {piece.run for piece in pieces if piece.run is not None}
    found = _folded(path, pieces, how, max(labels, key=run_key) if labels else "")
    unlabelled = found.pop(None, _Parts()).rows
    notices = (f"{unlabelled:,} rows have no {','.join(by)!r} and belong to no run",) if unlabelled else ()
    runs = sorted((run for run in found if run is not None), key=run_key)
    return {run: _assembled(run, found[run], how, notices) for run in runs}


# --------------------------------------------------------------------------------------------------------- the table


@dataclass(frozen=True, slots=True)
class _Table:
    """The files of a table, its columns as Spark would name them, and which columns make a run's label."""

    path: str
    listing: Listing
    leaves: tuple[Leaf, ...]
    by: tuple[str, ...]

    @staticmethod
    def of(path: str, by: tuple[str, ...], storage: Storage) -> _Table:
        listing = listed_files(path, storage)
        in_path = dict(listing.columns)
        for name in by:
            if name not in in_path:
                raise BadInput(
                    f"take the runs from the column {name!r} of {path}",
                    f"folders that say {listed(list(in_path)) or 'nothing'}",
                    "name a column that is in the path (day=2026-05-01), or read it with Spark",
                )
        schema = _schema(listing.first, storage)
        # A column that is in both the path and the file has the value of the path, and the place of the file.
        own = tuple((n, in_path.get(n, t), True) for n, t, _ in schema.fields)
        there = {name.lower() for name, _, _ in own}
        whole = Struct(own + tuple((n, t, True) for n, t in listing.columns if n.lower() not in there))
        rest = Struct(tuple(f for f in whole.fields if f[0] not in by))
        return _Table(path, listing, tuple(leaves(rest)), by)

    def label(self, piece: Piece) -> str | None:
        """The label of the run that a file is of."""
        names = [name for name, _ in self.listing.columns]
        return label_of([piece.values[names.index(name)] for name in self.by])

    def chosen(
        self, kinds: Mapping[str, Kind], include: Collection[str] | None, exclude: Collection[str]
    ) -> tuple[tuple[Field, ...], Reading, tuple[tuple[str, str], ...]]:
        """The columns that are measured, how they are read, and the others with their types."""
        kinds = {name: kind for name, kind in kinds.items() if name not in self.by}
        include = None if include is None else set(include) - set(self.by)
        _, wanted = select_columns([leaf.name for leaf in self.leaves], kinds, include, set(exclude) - set(self.by))
        in_path = [name for name, _ in self.listing.columns]
        fields, from_path, unread = [], [], []
        columns: list[tuple[tuple[str, ...], str]] = []
        for position, leaf in enumerate(self.leaves):
            natural = kind_of(leaf.type)
            kind = checked_kind(leaf.name, natural, kinds[leaf.name]) if leaf.name in kinds else natural
            if leaf.name not in wanted:
                continue
            if kind is None or arrow_type(leaf.type, "UTC") is None:
                unread.append((leaf.name, leaf.type))
                continue
            if len(leaf.path) == 1 and leaf.name in in_path:
                from_path.append((len(columns), in_path.index(leaf.name)))
            fields.append(Field(leaf.name, kind, leaf.type, leaf.nullable, position))
            columns.append((leaf.path, leaf.type))
        return tuple(fields), Reading(tuple(columns), tuple(from_path)), tuple(unread)


def _schema(path: str, storage: Storage) -> Struct:
    """The schema that Spark reads off a file: its own note in the footer, or the columns."""
    try:
        with opened(path, storage) as file:
            metadata = pq.read_metadata(file)
            arrow = metadata.schema.to_arrow_schema()
    except Exception as why:  # a storage raises whatever its library has
        raise ByHistoryError(
            f"read {path}",
            f"no Parquet file that can be read ({' '.join(str(why).split())[:200]})",
            "mend or remove it; other formats, and encrypted files, are read with Spark (--engine spark)",
        ) from why
    noted = (metadata.metadata or {}).get(SPARK_SCHEMA)
    if noted:
        found = from_json(noted.decode("utf-8"))
        return _nullable(found)
    return Struct(tuple((name, place.type, True) for name, place in places(metadata.schema, arrow)))


def _nullable(schema: Struct) -> Struct:
    """As Spark reads files: whatever was written, there may be nulls."""
    return Struct(tuple((n, _nullable(t) if isinstance(t, Struct) else t, True) for n, t, _ in schema.fields))


# ----------------------------------------------------------------------------------------------------------- the work


@dataclass(frozen=True, slots=True)
class _How:
    """What is read, and how rows are summarised and files are reached."""

    fields: tuple[Field, ...]
    reading: Reading
    options: Options
    sample_rows: int
    seed: int
    storage: Storage
    unread: tuple[tuple[str, str], ...] = ()
    """Columns that this process cannot read, with their types."""


@dataclass(slots=True)
class _Parts:
    """What the threads made of one run."""

    rows: int = 0
    profiles: list[list[ColumnProfile]] = field(default_factory=list)
    samples: list[Any] = field(default_factory=list)


def _folded(path: str, pieces: Sequence[Piece], how: _How, sampled: str) -> dict[str | None, _Parts]:
    """The runs of all pieces, by a thread for each processor: most of the work is not done in Python."""
    total = sum(piece.bytes + OPENING for piece in pieces)
    tasks = cut(pieces, max(1, min(os.cpu_count() or 1, total // WORTH_A_THREAD)))
    try:
        if len(tasks) <= 1:
            done = [_task(number, task, how, sampled) for number, task in enumerate(tasks)]
        else:
            with ThreadPoolExecutor(len(tasks)) as threads:
                jobs = [threads.submit(_task, number, task, how, sampled) for number, task in enumerate(tasks)]
                done = [job.result() for job in jobs]
    except Declined as why:
        raise ByHistoryError(
            f"read the files of {path} in this process",
            f"that {why}",
            "read them with Spark (--engine spark), or mend the file",
        ) from why
    found: dict[str | None, _Parts] = {}
    for parts, sample in done:
        for run, rows, profiles in parts:
            at = found.setdefault(run, _Parts())
            at.rows += rows
            at.profiles.append(profiles)
        if sample is not None:
            found[sample[0]].samples.append(sample[1])
    return found


_Done = tuple[list[tuple["str | None", int, list[ColumnProfile]]], "tuple[str, Any] | None"]


def _task(number: int, pieces: Iterable[Piece], how: _How, sampled: str) -> _Done:
    runs = Runs(how.fields, how.options, how.sample_rows, (how.seed, number), sampled)
    folds = fold_pieces(pieces, how.reading, how.storage, how.fields, runs)
    return [(run, fold.rows, fold.result()) for run, fold in folds], runs.sample()


def _assembled(run: str, parts: _Parts, how: _How, notices: tuple[str, ...] = ()) -> TableProfile:
    if parts.profiles:
        columns = list(zip(*parts.profiles, strict=True))
    else:
        columns = [(profile_array(pa.nulls(0), f, how.options),) for f in how.fields]
    profiles = [ColumnProfile.sum_of(list(column)).sealed(how.options.key) for column in columns]
    sample = None
    if parts.samples:
        sample = merged_sample(parts.samples, how.sample_rows).rename_columns([f.name for f in how.fields])
    left_out = (f"column {name!r} is left out: only Spark reads {type_} (--engine spark)" for name, type_ in how.unread)
    return TableProfile(run, parts.rows, {p.name: p for p in profiles}, (*left_out, *notices), sample, how.unread)
