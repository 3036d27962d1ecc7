"""Profile the files of a table in this process: the same reading and the same fold, without Spark."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byhistory.files.folding import Reader, fold_pieces, parquet
from byhistory.files.here import read_here
from byhistory.files.lines import Lines
from byhistory.files.piece import OPENING, Piece, cut
from byhistory.files.schemas import by_schema, first_shape, merged
from byhistory.files.shape import Unlike
from byhistory.files.storage import Storage
from byhistory.files.table import Columns, Table
from byhistory.files.types import UNKNOWN
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.profile.past import run_key
from byhistory.rows.chunk import profile_array
from byhistory.rows.how import Asked, How
from byhistory.rows.runs import Runs
from byhistory.rows.sample import merged_sample

if TYPE_CHECKING:
    from typing_extensions import Unpack

MANY_FILES = 16
"""From this many files on, those of the same columns are opened once, by choice."""
WORTH_A_THREAD = 1 << 20
"""With fewer bytes of files, starting a second thread takes longer than it saves."""


def profile_files(
    path: str,
    *,
    run: str = "",
    only: tuple[Sequence[str], str] | None = None,
    without: Sequence[str] = (),
    storage: Storage | None = None,
    lines: Lines | None = None,
    **asked: Unpack[Asked],
) -> TableProfile:
    """Profile the files at a path as one run; `only` and `without` as in `byhistory.spark.files.profile_files`.

    They are Parquet, unless `lines` says that and how they are CSV or JSON.
    """
    table = replace(Table.of(path, tuple(only[0]) if only else (), storage or {}, lines), without=tuple(without))
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
    table = Table.of(path, tuple(by), storage or {}, lines)
    pieces = [replace(piece, run=table.label(piece)) for piece in table.listing.files]
    found = _profiled(table, pieces, How.of(asked))
    none = found.pop(None, None)
    notices = (f"{none.rows:,} rows have no {','.join(by)!r} and belong to no run",) if none and none.rows else ()
    runs = sorted((run for run in found if run is not None), key=run_key)
    return {run: replace(found[run], notices=(*found[run].notices, *notices)) for run in runs}


def _profiled(table: Table, pieces: Sequence[Piece], how: How) -> dict[str | None, TableProfile]:
    """The runs of some files, each with the columns that its own files have."""
    labels = [piece.run for piece in pieces if piece.run is not None]
    last = max(labels, key=run_key) if labels else ""
    filled = [piece for piece in pieces if piece.bytes]
    if table.lines and filled:
        everywhere = table.schema_of_all()
        groups = {everywhere: filled}
    else:
        alike = _if_alike(table, filled, how, last)
        if alike is not None:
            return alike
        groups, everywhere = by_schema(filled, table.storage)
    found: dict[str | None, TableProfile] = {}
    for schema, of in groups.items():
        columns = table.columns(schema, how, everywhere)
        found |= _runs(table, of, columns, how, last, reader=table.reader())
    return found


def _if_alike(table: Table, pieces: Sequence[Piece], how: How, last: str) -> dict[str | None, TableProfile] | None:
    """The runs of many files that all have the same columns, each opened once; None if some have others.

    Of a small file it takes a third of the time to read the footer, so that it is not read twice.
    """
    if len(pieces) < MANY_FILES:
        return None
    first, *some = (first_shape(pieces[at].path, table.storage) for at in (0, len(pieces) // 2, -1))
    if not all(shape.is_like(first[0]) for shape, _ in some):
        return None
    whole = merged((first[1],))
    try:
        return _runs(table, pieces, table.columns(whole, how, whole), how, last, reader=partial(parquet, like=first[0]))
    except Unlike:
        return None


def _runs(
    table: Table, pieces: Sequence[Piece], columns: Columns, how: How, last: str, *, reader: Reader
) -> dict[str | None, TableProfile]:
    """The runs of some files whose columns are known."""
    parts = _folded(table, pieces, columns, how, last, reader=reader)
    return {run: _assembled(of, columns, how, run or "") for run, of in parts.items()}


# ----------------------------------------------------------------------------------------------------------- the work


@dataclass(slots=True)
class _Parts:
    """The parts of one run that the threads have made."""

    rows: int = 0
    profiles: list[list[ColumnProfile]] = field(default_factory=list)
    samples: list[Any] = field(default_factory=list)


def _folded(
    table: Table, pieces: Sequence[Piece], columns: Columns, how: How, sampled: str, *, reader: Reader
) -> dict[str | None, _Parts]:
    """The runs of all pieces, by a thread for each processor: most of the work is not done in Python."""
    total = sum(piece.bytes + OPENING for piece in pieces)
    tasks = cut(pieces, max(1, min(os.cpu_count() or 1, total // WORTH_A_THREAD)), splits=table.lines is None)
    work = partial(_task, storage=table.storage, columns=columns, how=how, sampled=sampled, reader=reader)
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
    number: int, pieces: Iterable[Piece], *, storage: Storage, columns: Columns, how: How, sampled: str, reader: Reader
) -> _Done:
    runs = Runs(columns.fields, how.options, how.sample_rows, (how.seed, number), sampled)
    folds = fold_pieces(pieces, columns.reading, storage, columns.fields, runs, reader=reader)
    return [(run, fold.rows, fold.result()) for run, fold in folds], runs.sample()


def _assembled(parts: _Parts, columns: Columns, how: How, run: str = "") -> TableProfile:
    fields = columns.fields
    if parts.profiles:
        measured = list(zip(*parts.profiles, strict=True))
    else:
        measured = [(profile_array(pa.nulls(0), f, how.options),) for f in fields]
    profiles = [ColumnProfile.sum_of(list(column)).sealed(how.options.key) for column in measured]
    sample = None
    if parts.samples:
        sample = merged_sample(parts.samples, how.sample_rows).rename_columns([f.name for f in fields])
    left_out = (f"column {n!r}: only that it is there is judged: {_unread(type_)}" for n, type_ in columns.unread)
    # That it is there is known: a verdict says if it is not there any more.
    profiles += [ColumnProfile(Kind.NESTED, n, type_, rows=parts.rows) for n, type_ in columns.unread]
    return TableProfile(run, parts.rows, {p.name: p for p in profiles}, tuple(left_out), sample, columns.unread)


def _unread(type_: str) -> str:
    if UNKNOWN in type_:
        return "Spark does not read its type from files either"
    return f"only Spark reads {type_} (--engine spark)"
