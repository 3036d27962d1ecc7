"""From the profiles of a table and its rows to cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from bench.cases import unseen
from bench.cases.cases import WINDOW, Bad, ColumnCases, Store, windows_of
from bench.cases.profiles import column_of, key_of, load
from bench.cases.real import Candidate, most_similar
from bench.corpus import RUN, Table

from byhistory import inject
from byhistory.inject import Column, Responses
from byhistory.learners.learn import FEW_VALUES
from byhistory.metrics import Metric, by_name, measure
from byhistory.metrics import of_kind as metrics_of
from byhistory.profile import ColumnProfile, Kind, TableProfile
from byhistory.profile.arrays import Floats, Ints
from byhistory.profile.coarse import coarsened
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.sample import SAMPLE_ROWS

WINDOWS = 30
"""Runs to judge in each column, at most (a choice: more runs of one column tell little more)."""
SEED = 2026
"""Of the sampled rows and of the faults: the same cases every time."""
NEEDED = 7
"""Past runs in which a column must have had values to be judged at all."""
VERSION = 2


def cases_key(table: Table) -> str:
    return f"{key_of(table)}-c{VERSION}"


class Rows:
    """The rows of a table by run. A class because it reads the file once."""

    def __init__(self, table: Table) -> None:
        data = pq.read_table(table.path).combine_chunks()
        run = data.column(RUN).to_numpy()
        self._order = np.argsort(run, kind="stable")
        self._starts = np.searchsorted(run[self._order], np.arange(int(run.max(initial=-1)) + 2))
        self._data = data

    def of(self, run: int) -> Any:
        """All rows of a run."""
        return self._data.take(pa.array(self._order[self._starts[run] : self._starts[run + 1]]))

    @cache  # noqa: B019 - lives as long as the table is worked on
    def determined(self, run: int) -> frozenset[str]:
        """The columns that another column of the run determines, which is neither a key nor constant itself.

        Paper: section "Methods Compared", FD-UB.
        """
        rows = _without_run(self.sample(run))
        codes = {name: _codes(rows.column(name)) for name in rows.column_names}
        sizes = {name: int(c.max(initial=0)) + 1 for name, c in codes.items()}
        could = [a for a in codes if 1 < sizes[a] <= rows.num_rows / 2]
        return frozenset(
            name
            for name, c in codes.items()
            if sizes[name] > 1
            and any(a != name and len(np.unique(codes[a] * sizes[name] + c)) == sizes[a] for a in could)
        )

    def sample(self, run: int) -> Any:
        """At most as many of them as the profiler's sample has."""
        rows = self.of(run)
        if rows.num_rows <= SAMPLE_ROWS:
            return rows
        chosen = np.random.default_rng((SEED, run)).permutation(rows.num_rows)[:SAMPLE_ROWS]
        return rows.take(pa.array(np.sort(chosen)))


def _codes(column: Any) -> Ints:
    """A number for every value, nulls too."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    array = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    return np.asarray(array.indices.to_numpy(zero_copy_only=False).astype(np.int64))


def candidates(tables: Sequence[Table], cache: Path, coarse: bool = False) -> list[Candidate]:
    """Every column of the lake by its last good run that has values."""
    found = []
    for table in tables:
        runs = load(table, cache, coarse)
        for name in table.columns():
            for run in reversed(table.good):
                profile = runs[run].columns[name] if run in runs else None
                if profile is not None and profile.present:
                    found.append(Candidate(table.name, name, profile, table.volume[run]))
                    break
    return found


def build(
    tables: Sequence[Table],
    profiles: Path,
    store: Store,
    say: Any = print,
    processes: int = 2,
    *,
    coarse: bool = False,
) -> None:
    """Make the cases that are not kept yet; `coarse` of profiles as a store keeps them by default."""
    missing = [t for t in tables if not store.has(cases_key(t))]
    if not missing:
        return
    lake = candidates(tables, profiles, coarse)
    similar: dict[tuple[str, str], list[Candidate]] = {}
    for kind in (Kind.NUMERIC, Kind.CATEGORICAL):
        ours = [c for c in lake if c.profile.kind is kind]
        for c, others in zip(ours, most_similar(ours), strict=True):
            similar[c.table, c.column] = [ours[i] for i in others]
    with ProcessPoolExecutor(processes) as pool:
        jobs = {}
        for table in sorted(missing, key=lambda t: -t.path.stat().st_size):
            mine = {name: others for (of, name), others in similar.items() if of == table.name}
            jobs[pool.submit(_build_one, table, profiles, store, mine, coarse)] = table.name
        for done, job in enumerate(as_completed(jobs)):
            say(f"cases of {jobs[job]}: {job.result()} columns ({done + 1} of {len(jobs)} tables)")


def _build_one(
    table: Table, profiles: Path, store: Store, similar: dict[str, list[Candidate]], coarse: bool = False
) -> int:
    runs, rows = load(table, profiles, coarse), Rows(table)
    columns = []
    for name, kind in table.columns().items():
        column = column_cases(table, runs, rows, (name, kind), similar.get(name, []), coarse=coarse)
        if column is not None:
            columns.append(column)
    store.write(cases_key(table), columns)
    return len(columns)


def column_cases(
    table: Table,
    runs: dict[int, TableProfile],
    rows: Rows,
    column: tuple[str, Kind],
    similar: Sequence[Candidate],
    *,
    coarse: bool = False,
) -> ColumnCases | None:
    """The cases of one column; None if it has too short a past."""
    name, kind = column
    good = [run for run in table.good if run in runs]
    past = column_of(runs, good, name)
    present = np.array([p is not None and p.present > 0 for p in past])
    windows = windows_of(len(good), WINDOWS)
    windows = tuple(at for at in windows if present[at - WINDOW : at].sum() >= NEEDED)
    if not windows or present.sum() < WINDOW + 1:
        return None
    first = [p for p, here in zip(past[:WINDOW], present[:WINDOW], strict=True) if p is not None and here]
    metrics = metrics_of(kind, discrete=_is_discrete(first))
    volume = np.array([table.volume[run] for run in good])
    series = measure(past, metrics)
    at = next((w for w in windows if present[w] and present[w - 1]), windows[0])
    cases = ColumnCases(
        table=table.name,
        column=name,
        source=table.source,
        domain=table.domain,
        kind=kind,
        cadence=table.cadence,
        metrics=tuple(m.name for m in metrics),
        labels=tuple(table.labels[run] for run in good),
        series=_scaled(series.T, metrics, volume).T,
        windows=windows,
        recall_at=at,
    )
    now, before = past[at], past[at - 1]
    assert now is not None
    read = _Reader(metrics, before, coarse)
    bad = {
        "real": _real(similar, read),
        "seen": _seen(rows.of(good[at]), now, read, volume[at]),
        "unseen": _unseen(rows.of(good[at]), rows.of(good[at - 1]), now, read, volume[at]),
    }
    incidents, ends = _incidents(table, runs, good, name, metrics)
    determined = name in rows.determined(good[at - 1])
    return replace(cases, bad=bad | {"incident": incidents}, incidents_at=ends, is_determined=determined)


class _Reader:
    """What the metrics say of profiles that stand in for a run."""

    def __init__(self, metrics: Sequence[Metric], before: ColumnProfile | None, coarse: bool) -> None:
        self.metrics, self.before, self.coarse = tuple(metrics), before, coarse

    def bad(self, names: Iterable[str], types: Iterable[str], profiles: Sequence[ColumnProfile], volume: Any) -> Bad:
        kept = map(coarsened, profiles) if self.coarse else profiles
        lines = [measure([self.before, p], self.metrics)[:, 1] for p in kept]
        values = np.array(lines).reshape(len(lines), len(self.metrics))
        return Bad(tuple(names), tuple(types), _scaled(values, self.metrics, volume))


def _scaled(lines: Floats, metrics: Sequence[Metric], volume: Any) -> Floats:
    """Rows as delivered instead of rows after a cap; one line per run."""
    lines = lines.copy()
    for i, metric in enumerate(metrics):
        if metric.name == "row_count":
            lines[:, i] *= volume
    return lines


def _is_discrete(profiles: Sequence[ColumnProfile]) -> bool:
    return all(
        p.numbers is not None and p.numbers.integers == p.numbers.count and 0 < p.distinct <= FEW_VALUES
        for p in profiles
    )


def _real(similar: Sequence[Candidate], read: _Reader) -> Bad:
    return read.bad(
        [f"{c.table}.{c.column}" for c in similar],
        ["another column"] * len(similar),
        [c.profile for c in similar],
        np.array([c.volume for c in similar]),
    )


def _seen(rows: Any, now: ColumnProfile, read: _Reader, volume: float) -> Bad:
    column = Column.of_table(_without_run(rows), now.name, now.kind)
    made = [(f, inject.inject(f, column, SEED)) for f in inject.of_kind(now.kind)]
    made = [(f, array) for f, array in made if array is not None]
    return read.bad(
        [f.name for f, _ in made], [f.type for f, _ in made], [_profile(array, now) for _, array in made], volume
    )


def _unseen(rows: Any, before: Any, now: ColumnProfile, read: _Reader, volume: float) -> Bad:
    made = [(f, unseen.happen(f, rows, (now.name, now.kind), before, SEED)) for f in unseen.ALL]
    made = [(f, array) for f, array in made if array is not None]
    return read.bad(
        [f.name for f, _ in made], [f.type for f, _ in made], [_profile(array, now) for _, array in made], volume
    )


def _without_run(rows: Any) -> Any:
    return rows.drop_columns([name for name in rows.column_names if name.startswith("_run")])


def _profile(array: Any, like: ColumnProfile) -> ColumnProfile:
    field = Field(like.name, like.kind, like.type, like.nullable, like.position)
    return profile_array(array, field, Options()).sealed(b"")


def happened(
    fault: unseen.Unseen, column: ColumnCases, table: Table, runs: dict[int, TableProfile], rows: Rows
) -> Bad | None:
    """One more fault in the run that faults are put into; None where it cannot happen."""
    good = [run for run in table.good if run in runs]
    before, now = column_of(runs, [good[column.recall_at - 1], good[column.recall_at]], column.column)
    if now is None:
        return None
    array = unseen.happen(fault, rows.of(good[column.recall_at]), (now.name, now.kind), None, SEED)
    if array is None:
        return None
    read = _Reader([by_name(name) for name in column.metrics], before, coarse=False)
    return read.bad([fault.name], [fault.type], [_profile(array, now)], table.volume[good[column.recall_at]])


def _incidents(
    table: Table, runs: dict[int, TableProfile], good: list[int], name: str, metrics: Sequence[Metric]
) -> tuple[Bad, tuple[int, ...]]:
    """Runs that a person reported, each with the good runs before it as its past."""
    names, types, lines, ends = [], [], [], []
    for incident in table.incidents:
        for run in table.during(incident)[:1]:
            end = int(np.searchsorted(good, run))
            if end < WINDOW or run not in runs:
                continue
            pair = column_of(runs, [good[end - 1], run], name)
            values = measure(pair, metrics)[:, 1:].T
            lines.append(_scaled(values, metrics, table.volume[run])[0])
            named = "named" if incident.names(name) else "beside"
            names.append(f"{incident.label} {incident.type or 'other'} ({incident.visibility})")
            types.append(named)
            ends.append(end)
    return Bad(tuple(names), tuple(types), np.array(lines).reshape(len(lines), len(metrics))), tuple(ends)


def respond(
    table: Table, profiles: Path, columns: Sequence[ColumnCases], at: dict[str, Sequence[int]]
) -> dict[tuple[str, int], Responses]:
    """What the training faults would do to the last past run of each window: by column and run to judge."""
    runs, rows = load(table, profiles), Rows(table)
    good = [run for run in table.good if run in runs]
    samples: dict[int, Any] = {}
    found = {}
    for column in columns:
        metrics = [by_name(name) for name in column.metrics]
        for end in at[column.column]:
            if end not in samples:
                samples[end] = _without_run(rows.sample(good[end - 1]))
            before, now = column_of(runs, [good[max(0, end - 2)], good[end - 1]], column.column)
            if now is None:
                continue
            field = Field(now.name, now.kind, now.type, now.nullable, now.position)
            answer = inject.responses(samples[end], now.name, now, before, metrics, field=field, seed=SEED + end)
            values = _scaled(answer.values, metrics, table.volume[good[end - 1]])
            found[column.column, end] = replace(answer, values=values)
    return found
