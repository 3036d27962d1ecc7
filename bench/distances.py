"""How far are good and faulty runs from their forecasts? Measured once per table of a corpus, and kept.

This is what prices, weights and the limits of tables are fitted to (`bench.calibrate`) and what new ideas for the
learner `calibrated` are tried on in seconds. Good runs are looked back from at every length of history.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from bench.cases.build import build, cases_key
from bench.cases.cases import WINDOW, ColumnCases, Store, windows_of
from bench.cases.profiles import profile_all
from bench.corpus import Table, tables
from bench.judge import BAD, INCIDENT, without_words, write_whole

from byhistory.constraints import always
from byhistory.constraints.always import METRICS as ALWAYS_METRICS
from byhistory.constraints.always import clauses_outside
from byhistory.learners.calibrated import dates, scales
from byhistory.learners.calibrated import forecast as forecasting
from byhistory.learners.calibrated import leaps as leaping
from byhistory.learners.calibrated import learn as learning
from byhistory.learners.calibrated.leaps import leap_ends
from byhistory.learners.calibrated.learn import forecasts
from byhistory.learners.calibrated.replay import HISTORIES
from byhistory.metrics import by_name
from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.verdict import material

WINDOWS = 30
"""Runs of each column that are looked back from at each length of history but the usual one."""
USUAL_WINDOWS = 60
"""Runs of each column at the usual length of history, beside those that the evaluation judges."""
_FAR = 1e30
"""As large as a distance is kept: a number of 32 bits holds it."""
NEEDED = 7
"""Runs that a past needs to have values in."""


@dataclass(frozen=True)
class Distances:
    """Runs of one column (one row per run): how far each metric was off, and which metrics were constant until then."""

    table: str
    column: str
    source: str
    kind: str
    history: int
    metrics: tuple[str, ...]
    run: Ints
    """Their places among the good runs of the table; of a bad run, the place of the run it stands in for."""
    distances: Floats
    is_constant: Bools
    is_leap: Bools
    """Which metrics leave their whole past behind."""
    stops: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Which of them a rule stops whatever the budget; only for the usual length of history."""
    is_material: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Which of them touch enough rows to stop a run: others warn (ADR 0012)."""
    name: tuple[str, ...] = ()
    """Of the faults or incidents."""
    type: tuple[str, ...] = ()
    set: str = "good"
    runs: int = 0
    """Good runs of the table."""


def distances(corpus: Path, cache: Path, processes: int = 2, *, coarse: bool = False) -> Iterator[Distances]:
    """All of a corpus; what is not kept yet is measured first. `coarse`: of profiles as a store keeps them."""
    found = list(tables(corpus))
    profile_all(found, cache / "profiles", processes=processes)
    how = "-coarse" if coarse else ""
    store = Store(cache / f"cases{how}")
    build(found, cache / "profiles", store, processes=processes, coarse=coarse)
    folder = cache / f"distances{how}"
    paths = {t.name: folder / f"{cases_key(t)}-{code()}.pkl" for t in found}
    with ProcessPoolExecutor(processes) as pool:
        missing = [t for t in found if not paths[t.name].exists()]
        jobs = {pool.submit(_keep, t, store, paths[t.name]): t.name for t in missing}
        for done, job in enumerate(as_completed(jobs), 1):
            job.result()
            print(f"distances of {jobs[job]} ({done} of {len(jobs)} tables)", flush=True)
    for path in paths.values():
        yield from pickle.loads(path.read_bytes())  # noqa: S301 - our own file


def code() -> str:
    """Names the code that forecasts, weighs and always stops: distances under an older one are not taken for it."""
    files = (Path(str(part.__file__)) for part in (always, forecasting, scales, learning, leaping, dates, material))
    return hashlib.sha256(b"".join(map(without_words, files))).hexdigest()[:10]


def _keep(table: Table, store: Store, path: Path) -> None:
    found = [d for column in store.read(cases_key(table)) for d in of_column(column)]
    write_whole(path, pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))


def of_column(column: ColumnCases, histories: Sequence[int] = HISTORIES) -> Iterator[Distances]:
    """Good runs at these lengths of history, then faults and incidents at the usual one."""
    runs = column.series.shape[1]
    for history in histories:
        if history == WINDOW:
            places: Sequence[int] = sorted({*windows_of(runs, USUAL_WINDOWS), *column.windows})
        else:
            places = windows_of(runs, WINDOWS, history)
        yield from _measured(column, history, "good", places, column.series[:, list(places)].T)
    for name in BAD:
        bad = column.bad.get(name)
        if bad is not None and len(bad.names):
            yield from _measured(column, WINDOW, name, [column.recall_at] * len(bad.names), bad.values)
    if column.incidents_at:
        yield from _measured(column, WINDOW, INCIDENT, column.incidents_at, column.bad[INCIDENT].values)


def _measured(
    column: ColumnCases, history: int, name: str, places: Sequence[int], values: Floats
) -> Iterator[Distances]:
    metrics = [by_name(m) for m in column.metrics]
    distances, is_constant, is_leap, stops, is_material, kept = [], [], [], [], [], []
    expected, ends, last = None, np.zeros((0, 2)), -1
    for i, (at, now) in enumerate(zip(places, values, strict=True)):
        if at != last:  # all faults of a column stand in for one run
            past = column.past(at, history)
            is_long = np.isfinite(past.series).any(axis=0).sum() >= min(NEEDED, history)
            expected, last = (forecasts(metrics, *past.on_calendar) if is_long else None), at
            ends = leap_ends(column.metrics, past.series)
        if expected is None or not np.isfinite(now).any():
            continue
        kept.append(i)
        distances.append(expected.distances(now[None])[0])
        is_constant.append(expected.is_constant)
        is_leap.append(leaping.leaping(ends, now))
        stops.append(history == WINDOW and _always(past.series, column.metrics, now))
        is_material.append(_touches_rows(column, at, now))
    if not kept:
        return
    bad = column.bad.get(name)
    yield Distances(
        column.table,
        column.column,
        column.source,
        column.kind.value,
        history,
        column.metrics,
        np.array([places[i] for i in kept]),
        np.clip(distances, -_FAR, _FAR).astype(np.float32),
        np.array(is_constant, np.bool_),
        np.array(is_leap, np.bool_),
        np.array(stops, np.bool_),
        np.array(is_material, np.bool_),
        () if bad is None else tuple(bad.names[i] for i in kept),
        () if bad is None else tuple(bad.types[i] for i in kept),
        name,
        column.series.shape[1],
    )


def _always(past: Floats, metrics: Sequence[str], now: Floats) -> bool:
    """Whether a rule stops a run whatever the budget."""
    place = {m: metrics.index(m) for m in ALWAYS_METRICS if m in metrics}
    rows = now[metrics.index("row_count")] if "row_count" in metrics else np.nan
    present = now[metrics.index("complete_ratio")] if "complete_ratio" in metrics else np.nan
    if not np.isfinite(rows * present):
        return False
    reads = {m: float(now[i]) for m, i in place.items()}
    return bool(clauses_outside({m: past[i] for m, i in place.items()}, rows, rows * present, reads))


def _touches_rows(column: ColumnCases, at: int, now: Floats) -> bool:
    """Whether a run that reads so after the runs before `at` may be stopped, and not only warned about."""
    places = {m: column.metrics.index(m) for m in material.COMPARED if m in column.metrics}
    before = material.last_known(column.series[list(places.values()), :at])
    reads = dict(zip(column.metrics, now.tolist(), strict=True))
    return material.is_material(column.kind, reads, dict(zip(places, before.tolist(), strict=True)))
