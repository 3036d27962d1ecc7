"""Profile the files of a table in this process: the same reading and the same fold, without Spark."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byhistory.errors import BadInput
from byhistory.files.folders import label_of
from byhistory.files.folding import Reader, fold_pieces, parquet
from byhistory.files.here import read_here
from byhistory.files.lines import Lines, schema_of
from byhistory.files.lines import batches as read_lines
from byhistory.files.listing import Listing, listed_files
from byhistory.files.piece import OPENING, Piece, cut
from byhistory.files.reader import Reading
from byhistory.files.schemas import by_schema, merged, schemas_of
from byhistory.files.storage import Storage
from byhistory.files.types import UNKNOWN, Leaf, Struct, arrow_type, kind_of, leaves
from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.past import run_key
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field
from byhistory.rows.how import Asked, How
from byhistory.rows.local import checked_kind, listed, select_columns
from byhistory.rows.runs import Runs
from byhistory.rows.sample import merged_sample

if TYPE_CHECKING:
    from typing_extensions import Unpack

WORTH_A_THREAD = 1 << 20
"""With fewer bytes of files, starting a second thread takes longer than it saves."""


def profile_files(
    path: str,
    *,
    run: str = "",
    only: tuple[Sequence[str], str] | None = None,
    storage: Storage | None = None,
    lines: Lines | None = None,
    **asked: Unpack[Asked],
) -> TableProfile:
    """Profile the files at a path as one run; `only` as in `byhistory.spark.files.profile_files`.

    They are Parquet, unless `lines` says that and how they are CSV or JSON.
    """
    table = _Table.of(path, tuple(only[0]) if only else (), storage or {}, lines)
    pieces = [piece for piece in table.listing.files if only is None or table.label(piece) == only[1]]
    how = How.of(asked)
    runs = _profiled(table, [replace(piece, run="") for piece in pieces], how)
    if "" in runs:
        return replace(runs[""], run=run)
    own = table.schema_of_all() if lines else merged(table.schemas(pieces))
    return _assembled(_Parts(), table.columns(own, how), how, run)


def profile_run_files(
    path: str,
    by: Sequence[str],
    *,
    storage: Storage | None = None,
    lines: Lines | None = None,
    **asked: Unpack[Asked],
) -> dict[str, TableProfile]:
    """Profile all runs of a table whose folders say which run a file is of, in the order of their labels."""
    table = _Table.of(path, tuple(by), storage or {}, lines)
    pieces = [replace(piece, run=table.label(piece)) for piece in table.listing.files]
    found = _profiled(table, pieces, How.of(asked))
    none = found.pop(None, None)
    notices = (f"{none.rows:,} rows have no {','.join(by)!r} and belong to no run",) if none and none.rows else ()
    runs = sorted((run for run in found if run is not None), key=run_key)
    return {run: replace(found[run], notices=(*found[run].notices, *notices)) for run in runs}


def _profiled(table: _Table, pieces: Sequence[Piece], how: How) -> dict[str | None, TableProfile]:
    """The runs of some files, each with the columns that its own files have."""
    labels = [piece.run for piece in pieces if piece.run is not None]
    last = max(labels, key=run_key) if labels else ""
    filled = [piece for piece in pieces if piece.bytes]
    if table.lines and filled:
        everywhere = table.schema_of_all()
        groups = {everywhere: filled}
    else:
        groups, everywhere = by_schema(filled, table.storage)
    found: dict[str | None, TableProfile] = {}
    for schema, of in groups.items():
        columns = table.columns(schema, how, everywhere)
        for run, parts in _folded(table, of, columns, how, last).items():
            found[run] = _assembled(parts, columns, how, run or "")
    return found


# --------------------------------------------------------------------------------------------------------- the table


@dataclass(frozen=True, slots=True)
class _Table:
    """The files of a table, and the columns that make the label of a run."""

    path: str
    listing: Listing
    by: tuple[str, ...]
    storage: Storage
    lines: Lines | None

    @staticmethod
    def of(path: str, by: tuple[str, ...], storage: Storage, lines: Lines | None) -> _Table:
        listing = listed_files(path, storage)
        in_path = dict(listing.columns)
        for name in by:
            if name not in in_path:
                raise BadInput(
                    f"take the runs from the column {name!r} of {path}",
                    f"folders that say {listed(list(in_path)) or 'nothing'}",
                    "name a column that is in the path (day=2026-05-01), or read it with Spark",
                )
        return _Table(path, listing, by, storage, lines)

    def schemas(self, pieces: Sequence[Piece]) -> list[Struct]:
        """The schemas of some Parquet files, or of the table's first if there are none."""
        return schemas_of([piece.path for piece in pieces if piece.bytes] or [self.listing.first], self.storage)

    def schema_of_all(self) -> Struct:
        """The schema of lines: the one that Spark infers from all files of the table, whichever are read."""
        if self.lines is None:
            raise ValueError("only lines have one schema")
        with read_here(self.path):
            return schema_of([piece.path for piece in self.listing.files if piece.bytes], self.lines, self.storage)

    def leaves(self, schema: Struct) -> list[Leaf]:
        """The columns of files with a schema and of their paths, without those that make the label."""
        in_path = {name.lower(): (name, type_) for name, type_ in self.listing.columns}
        # A column in both the path and the file has name, type and value of the path, and the place of the file.
        own = tuple((*in_path.get(n.lower(), (n, t)), True) for n, t, _ in schema.fields)
        there = {name.lower() for name, _, _ in own}
        whole = own + tuple((n, t, True) for n, t in self.listing.columns if n.lower() not in there)
        return leaves(Struct(tuple(f for f in whole if f[0] not in self.by)))

    def reader(self) -> Reader:
        """The reader of its files."""
        lines = self.lines
        if lines is None:
            return parquet
        return lambda storage, reading: partial(read_lines, storage=storage, reading=reading, lines=lines)

    def label(self, piece: Piece) -> str | None:
        """The label of the run that a file belongs to."""
        names = [name for name, _ in self.listing.columns]
        return label_of([piece.values[names.index(name)] for name in self.by])

    def columns(self, schema: Struct, how: How, everywhere: Struct | None = None) -> _Columns:
        """The columns that are measured in files with a schema; `everywhere` has those of all files of the table."""
        how = how.without(self.by)
        every, own = self.leaves(everywhere or schema), {_plain(leaf): leaf for leaf in self.leaves(schema)}
        at = {_plain(leaf) for leaf in every}
        every += [leaf for way, leaf in own.items() if way not in at]  # if another file has a struct of that name
        wanted = select_columns([leaf.name for leaf in every], how)
        in_path = [name for name, _ in self.listing.columns]
        fields, from_path, unread = [], [], []
        columns: list[tuple[tuple[str, ...], str]] = []
        for position, known in enumerate(every):  # names are spelt as where they first come, and keep their places
            if _plain(known) not in own:
                continue
            leaf = replace(own[_plain(known)], name=known.name, path=known.path)
            natural = kind_of(leaf.type)
            kind = checked_kind(leaf.name, natural, how.kinds[leaf.name]) if leaf.name in how.kinds else natural
            if leaf.name not in wanted:
                continue
            if kind is None or arrow_type(leaf.type, "UTC") is None:
                unread.append((leaf.name, leaf.type))
                continue
            if len(leaf.path) == 1 and leaf.name in in_path:
                from_path.append((len(columns), in_path.index(leaf.name)))
            fields.append(Field(leaf.name, kind, leaf.type, leaf.nullable, position))
            columns.append((leaf.path, leaf.type))
        return _Columns(tuple(fields), Reading(tuple(columns), tuple(from_path)), tuple(unread))


# ----------------------------------------------------------------------------------------------------------- the work


def _plain(leaf: Leaf) -> tuple[str, ...]:
    """The way to a column as Spark compares names."""
    return tuple(name.lower() for name in leaf.path)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns that are measured, how they are read, and those that this process cannot read, with their types."""

    fields: tuple[Field, ...]
    reading: Reading
    unread: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Parts:
    """The parts of one run that the threads have made."""

    rows: int = 0
    profiles: list[list[ColumnProfile]] = field(default_factory=list)
    samples: list[Any] = field(default_factory=list)


def _folded(
    table: _Table, pieces: Sequence[Piece], columns: _Columns, how: How, sampled: str
) -> dict[str | None, _Parts]:
    """The runs of all pieces, by a thread for each processor: most of the work is not done in Python."""
    total = sum(piece.bytes + OPENING for piece in pieces)
    tasks = cut(pieces, max(1, min(os.cpu_count() or 1, total // WORTH_A_THREAD)), splits=table.lines is None)
    work = partial(_task, storage=table.storage, columns=columns, how=how, sampled=sampled, reader=table.reader())
    with read_here(table.path):
        if len(tasks) <= 1:
            done = [work(number, task) for number, task in enumerate(tasks)]
        else:
            with ThreadPoolExecutor(len(tasks)) as threads:
                jobs = [threads.submit(work, number, task) for number, task in enumerate(tasks)]
                done = [job.result() for job in jobs]
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


def _task(
    number: int, pieces: Iterable[Piece], *, storage: Storage, columns: _Columns, how: How, sampled: str, reader: Reader
) -> _Done:
    runs = Runs(columns.fields, how.options, how.sample_rows, (how.seed, number), sampled)
    folds = fold_pieces(pieces, columns.reading, storage, columns.fields, runs, reader=reader)
    return [(run, fold.rows, fold.result()) for run, fold in folds], runs.sample()


def _assembled(parts: _Parts, columns: _Columns, how: How, run: str = "") -> TableProfile:
    fields = columns.fields
    if parts.profiles:
        measured = list(zip(*parts.profiles, strict=True))
    else:
        measured = [(profile_array(pa.nulls(0), f, how.options),) for f in fields]
    profiles = [ColumnProfile.sum_of(list(column)).sealed(how.options.key) for column in measured]
    sample = None
    if parts.samples:
        sample = merged_sample(parts.samples, how.sample_rows).rename_columns([f.name for f in fields])
    left_out = (f"column {n!r} is left out: {_unread(type_)}" for n, type_ in columns.unread)
    return TableProfile(run, parts.rows, {p.name: p for p in profiles}, tuple(left_out), sample, columns.unread)


def _unread(type_: str) -> str:
    if UNKNOWN in type_:
        return "of its type in the files, which Spark does not read either"
    return f"only Spark reads {type_} (--engine spark)"
