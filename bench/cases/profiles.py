"""All runs of a table to profiles, kept on disk."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from bench.corpus import RUN, Table

from byhistory.profile import ColumnProfile, TableProfile, to_bytes
from byhistory.profile.coarse import coarsened_table
from byhistory.profile.stored import StoredColumns
from byhistory.rows.local import profile_table

VERSION = 2
"""To be raised when profiles change: what is kept is made anew."""


def key_of(table: Table) -> str:
    """Names the content of a table and how it is profiled."""
    return f"{table.name}-{hashlib.sha256(table.path.read_bytes()).hexdigest()[:12]}-v{VERSION}"


def profile_all(tables: Sequence[Table], cache: Path, say: Callable[[str], object] = print, processes: int = 2) -> None:
    """Profile the tables that are not kept yet; without Spark, whose profiles are the same and take longer."""
    cache.mkdir(parents=True, exist_ok=True)
    missing = [t for t in tables if not (cache / f"{key_of(t)}.profiles").exists()]
    if not missing:
        return
    with ProcessPoolExecutor(processes) as pool:
        jobs = {pool.submit(_profile, table, cache): table.name for table in missing}
        for done, job in enumerate(as_completed(jobs), 1):
            job.result()
            say(f"profiles of {jobs[job]} ({done} of {len(missing)})")


def _profile(table: Table, cache: Path) -> None:
    rows = pq.read_table(table.path).combine_chunks()
    runs = rows.column(RUN).to_numpy()
    order = np.argsort(runs, kind="stable")
    labels, starts = np.unique(runs[order], return_index=True)
    packed = []
    for label, places in zip(labels, np.split(order, starts[1:]), strict=True):
        profile = profile_table(rows.take(pa.array(places)), include=list(table.columns()), sample_rows=1)
        packed.append((int(label), profile.rows, {name: to_bytes(column) for name, column in profile.columns.items()}))
    target = cache / f"{key_of(table)}.profiles"
    partial = target.with_suffix(".partial")
    partial.write_bytes(pickle.dumps(packed))
    partial.replace(target)


def load(table: Table, cache: Path, coarse: bool = False) -> dict[int, TableProfile]:
    """The profiles of a table by the number of the run; `coarse` as a store keeps them by default."""
    packed = pickle.loads((cache / f"{key_of(table)}.profiles").read_bytes())  # noqa: S301 - our own file
    found = {run: TableProfile(str(run), rows, StoredColumns(columns)) for run, rows, columns in packed}
    return {run: coarsened_table(profile) for run, profile in found.items()} if coarse else found


def column_of(runs: dict[int, TableProfile], of: Sequence[int], name: str) -> list[ColumnProfile | None]:
    """One column through some runs."""
    return [runs[run].columns[name] if run in runs and name in runs[run].columns else None for run in of]
