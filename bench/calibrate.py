"""Measure on a corpus how far good runs are from their forecasts, and write the prices: `make calibrate CORPUS=…`."""

from __future__ import annotations

import argparse
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from bench.cases.build import build, cases_key
from bench.cases.cases import ColumnCases, Store, windows_of
from bench.cases.profiles import profile_all
from bench.corpus import tables

from byhistory.metrics import by_name
from byhistory.prices.fit import FOLDS, Replay, fit, folds_of, source_number
from byhistory.prices.table import to_json
from byhistory.program.calibrated import HISTORIES, SAFETY, SINGLES, forecasts

PRICES = Path(__file__).parents[1] / "src" / "byhistory" / "prices" / "v1.json"
HELD_OUT = Path(__file__).parent / "held_out"
"""The same without a fifth of the sources each, so that a source can be judged by prices it had no part in."""
WINDOWS = 60
"""Runs of each column that are looked back from, at each length of history."""


def replays(columns: list[ColumnCases], histories: tuple[int, ...] = HISTORIES) -> list[Replay]:
    """How far all good runs of some columns were off."""
    with ProcessPoolExecutor(2) as pool:
        done = list(pool.map(_off, [(c, h) for h in histories for c in columns], chunksize=20))
    found = []
    for history in histories:
        for kind in sorted({c.kind.value for c in columns}):
            mine = [
                (c, away, still) for c, h, away, still in done if h == history and c.kind.value == kind and len(away)
            ]
            names = sorted({name for c, _, _ in mine for name in c.metrics})
            away = np.full((sum(len(a) for _, a, _ in mine), len(names)), np.nan)
            still = np.zeros(away.shape, np.bool_)
            source, start = [], 0
            for column, a, s in mine:
                places = [names.index(name) for name in column.metrics]
                away[start : start + len(a), places], still[start : start + len(a), places] = a, s
                source += [source_number(column.source)] * len(a)
                start += len(a)
            found.append(Replay(kind, history, tuple(names), away, still, np.array(source, np.int64)))
    return found


def _off(job: tuple[ColumnCases, int]) -> tuple[ColumnCases, int, np.ndarray, np.ndarray]:
    column, history = job
    metrics = [by_name(name) for name in column.metrics]
    lines, stills = [], []
    for at in windows_of(column.series.shape[1], WINDOWS, history):
        past = column.past(at, history).series
        if np.isfinite(past).any(axis=0).sum() < min(7, history):
            continue
        f = forecasts(metrics, past)
        lines.append(f.away(column.series[:, at][None])[0])
        stills.append(f.still)
    shape = (len(lines), len(metrics))
    return column, history, np.array(lines).reshape(shape), np.array(stills, np.bool_).reshape(shape)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--corpus", type=Path, default=Path("../shared/corpus"))
    arguments.add_argument("--cache", type=Path, default=Path(".bench"))
    arguments.add_argument("-o", "--output", type=Path, default=PRICES)
    chosen = arguments.parse_args()
    all_tables = list(tables(chosen.corpus))
    profile_all(all_tables, chosen.cache / "profiles")
    store = Store(chosen.cache / "cases")
    build(all_tables, chosen.cache / "profiles", store)
    columns = [column for table in all_tables for column in store.read(cases_key(table))]
    found = replays(columns)
    (chosen.cache / "replays.pkl").write_bytes(pickle.dumps(found))
    sources = sorted({c.source for c in columns})
    made = {"command": "make calibrate", "tables": len(all_tables), "sources": len(sources), "columns": len(columns)}
    write(found, made, chosen.output)
    fold = folds_of(np.concatenate([r.source for r in found]))
    of = dict(zip(np.concatenate([r.source for r in found]).tolist(), fold.tolist(), strict=True))
    for k in range(FOLDS):
        left_out = [name for name in sources if of.get(source_number(name)) == k]
        others = [_without(r, {source_number(name) for name in left_out}) for r in found]
        write(others, {**made, "left_out": left_out}, HELD_OUT / f"{k}.json")


def write(found: list[Replay], made: dict[str, object], path: Path) -> None:
    """Fit the prices and keep them."""
    made = {**made, "cases": {f"{r.kind} {r.history}": len(r.away) for r in found}, "safety": SAFETY}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json(fit(found, SINGLES, made, SAFETY)), encoding="utf-8")
    print(f"{path}: {made}")


def _without(replay: Replay, left_out: set[int]) -> Replay:
    kept = ~np.isin(replay.source, list(left_out))
    return replace(replay, away=replay.away[kept], still=replay.still[kept], source=replay.source[kept])


if __name__ == "__main__":
    main()
