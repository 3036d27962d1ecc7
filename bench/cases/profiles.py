"""All runs of a table to profiles, by one Spark job, kept on disk."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.corpus import LABEL, RUN, Table

from byhistory.profile import ColumnProfile, TableProfile, to_bytes
from byhistory.profile.stored import StoredColumns

VERSION = 1
"""To be raised when profiles change: what is kept is made anew."""


def key_of(table: Table) -> str:
    """Names the content of a table and how it is profiled."""
    return f"{table.name}-{hashlib.sha256(table.path.read_bytes()).hexdigest()[:12]}-v{VERSION}"


def profile_all(tables: Sequence[Table], cache: Path, say: Callable[[str], object] = print) -> None:
    """Profile the tables that are not kept yet; starts a Spark only if there are any."""
    cache.mkdir(parents=True, exist_ok=True)
    missing = [t for t in tables if not (cache / f"{key_of(t)}.profiles").exists()]
    if not missing:
        return
    from byhistory.spark.profiler import profile_runs
    from byhistory.spark.session import open_session

    spark = open_session("byhistory benchmark", master="local[2]")
    for done, table in enumerate(missing):
        say(f"profiling {table.name} ({done + 1} of {len(missing)})")
        df = spark.read.parquet(str(table.path)).drop(LABEL)
        runs = profile_runs(df, by=RUN, include=list(table.columns()), sample_rows=1)
        packed = [
            (int(label), p.rows, {name: to_bytes(column) for name, column in p.columns.items()})
            for label, p in runs.items()
        ]
        target = cache / f"{key_of(table)}.profiles"
        partial = target.with_suffix(".partial")
        partial.write_bytes(pickle.dumps(packed))
        partial.replace(target)
    spark.stop()


def load(table: Table, cache: Path) -> dict[int, TableProfile]:
    """The profiles of a table by the number of the run."""
    packed = pickle.loads((cache / f"{key_of(table)}.profiles").read_bytes())  # noqa: S301 - our own file
    return {run: TableProfile(str(run), rows, StoredColumns(columns)) for run, rows, columns in packed}


def column_of(runs: dict[int, TableProfile], of: Sequence[int], name: str) -> list[ColumnProfile | None]:
    """One column through some runs."""
    return [runs[run].columns[name] if run in runs and name in runs[run].columns else None for run in of]
