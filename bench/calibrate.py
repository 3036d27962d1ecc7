"""Measure on a corpus how far good runs are from their forecasts, and write the prices: `make calibrate CORPUS=…`."""

from __future__ import annotations

import argparse
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from bench.cases.build import build, cases_key
from bench.cases.cases import ColumnCases, Store, windows_of
from bench.cases.profiles import profile_all
from bench.corpus import tables

from byhistory.metrics import by_name
from byhistory.prices.fit import FOLDS, Replay, fit, folds_of, source_number
from byhistory.prices.table import to_json
from byhistory.program.calibrated import HISTORIES, SAFETY, SINGLES
from byhistory.program.replay import Off, look_back, pooled

PRICES = Path(__file__).parents[1] / "src" / "byhistory" / "prices" / "v1.json"
HELD_OUT = Path(__file__).parent / "held_out"
"""The same without a fifth of the sources each, so that a source can be judged by prices it had no part in."""
WINDOWS = 60
"""Runs of each column that are looked back from, at each length of history."""


def replays(columns: list[ColumnCases], histories: tuple[int, ...] = HISTORIES) -> list[Replay]:
    """How far all good runs of some columns were off."""
    with ProcessPoolExecutor(2) as pool:
        return pooled(list(pool.map(_off, [(c, h) for h in histories for c in columns], chunksize=20)))


def _off(job: tuple[ColumnCases, int]) -> Off:
    column, history = job
    metrics = [by_name(name) for name in column.metrics]
    places = windows_of(column.series.shape[1], WINDOWS, history)
    runs = ((*column.past(at, history).on_calendar, column.series[:, at]) for at in places)
    return look_back(source_number(column.source), column.kind.value, history, metrics, runs)


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
        others = [r.of(~np.isin(r.source, [source_number(name) for name in left_out])) for r in found]
        write(others, {**made, "left_out": left_out}, HELD_OUT / f"{k}.json")


def write(found: list[Replay], made: dict[str, object], path: Path) -> None:
    """Fit the prices and keep them."""
    made = {**made, "cases": {f"{r.kind} {r.history}": len(r.away) for r in found}, "safety": SAFETY}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json(fit(found, SINGLES, made, SAFETY)), encoding="utf-8")
    print(f"{path}: {made}")


if __name__ == "__main__":
    main()
