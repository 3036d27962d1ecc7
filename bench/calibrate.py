"""Measure on corpora how far good runs are from their forecasts, and write the prices: `make calibrate`.

    python -m bench.calibrate --corpus DIRECTORY --corpus ANOTHER

Three things are fitted: what each metric counts (`bench.weights`), what being off costs a column, and what it costs a
table (`bench.of_tables`). Each is fitted without a fifth of the sources too (bench/held_out), so that a source can be
judged by what it had no part in.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from bench.cases.cases import WINDOW, windows_of
from bench.distances import USUAL_WINDOWS, WINDOWS, Distances, distances
from bench.judge import GOOD
from bench.of_tables import TableRuns, fit_tables
from bench.weights import weights

from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.fit import FOLDS, Replay, fit, folds_of, source_number
from byhistory.learners.calibrated.prices import Prices, from_json, shipped, to_json
from byhistory.learners.calibrated.replay import ColumnDistances, pooled

PRICES = Path(__file__).parents[1] / "src" / "byhistory" / "learners" / "calibrated" / "v3.json"
HELD_OUT = Path(__file__).parent / "held_out"
LEAP = 7.0
"""What a metric adds to the total of a run if it leaves its whole past behind."""


def replays(found: Sequence[Distances], name: str = GOOD) -> list[Replay]:
    """The runs of a set, by kind and length of history."""
    return pooled([_off(d) for d in found if d.set == name])


def _off(d: Distances) -> ColumnDistances:
    most = USUAL_WINDOWS if d.history == WINDOW else WINDOWS
    kept = np.isin(d.run, windows_of(d.runs, most, d.history)) if d.set == GOOD else np.ones(len(d.run), np.bool_)
    distances = np.asarray(d.distances[kept], np.float64)
    flags = (d.is_constant[kept], d.is_leap[kept])
    return ColumnDistances(source_number(d.source), d.kind, d.history, d.metrics, distances, *flags)


def priced(found: Sequence[Distances], made: dict[str, object]) -> Prices:
    """Weights and prices of columns from these."""
    good, seen = replays(found), replays(found, "seen")
    count = weights([r for r in good if r.history == WINDOW], seen)
    made = {**made, "cases": {f"{r.kind} {r.history}": len(r.distances) for r in good}, "safety": CALIBRATED.safety}
    return fit(replace(CALIBRATED, prices=Prices({}, {}, (), weights=count, leap=LEAP)), good, made)


def priced_by_fold(found: Sequence[Distances], made: dict[str, object]) -> tuple[list[Prices], dict[int, int]]:
    """Prices without each fifth of the sources, and in which fifth each source is."""
    sources = np.array([source_number(d.source) for d in found for _ in range(len(d.run))])
    fold = dict(zip(sources.tolist(), folds_of(sources).tolist(), strict=True))
    held_out = []
    for k in range(FOLDS):
        left_out = sorted({d.source for d in found if fold[source_number(d.source)] == k})
        held_out.append(priced([d for d in found if d.source not in left_out], {**made, "left_out": left_out}))
        print(f"fold {k}: {len(left_out)} sources held out", flush=True)
    return held_out, fold


def kept() -> tuple[list[Prices], dict[int, int]]:
    """The same as they were measured last."""
    held_out = [from_json((HELD_OUT / f"{k}.json").read_text("utf-8")) for k in range(FOLDS)]
    return held_out, {source_number(s): k for k, prices in enumerate(held_out) for s in prices.made["left_out"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    named = [Path(p) for p in os.environ.get("CORPUS", "").split(os.pathsep) if p]
    hint = "may be given several times; the variable CORPUS names them, too, with a colon between"
    parser.add_argument("--corpus", type=Path, action="append", required=not named, help=hint)
    parser.add_argument("--cache", type=Path, default=Path(".bench"))
    parser.add_argument("-o", "--output", type=Path, default=PRICES)
    parser.add_argument(
        "--only-tables", action="store_true", help="keep the prices of columns, and fit those of tables"
    )
    asked = parser.parse_args()
    found = [d for corpus in asked.corpus or named for d in distances(corpus, asked.cache)]
    made: dict[str, object] = {"command": "make calibrate", **_counts(found)}
    held_out, fold = kept() if asked.only_tables else priced_by_fold(found, made)
    runs = TableRuns.of(found, {s: held_out[k] for s, k in fold.items()})
    for k, prices in enumerate(held_out):
        others = np.array([fold[int(s)] != k for s in runs.source])
        _write(replace(prices, tables=fit_tables(runs.some(others))), HELD_OUT / f"{k}.json")
    whole = shipped() if asked.only_tables else priced(found, made)
    _write(replace(whole, tables=fit_tables(runs)), asked.output)


def _counts(found: Sequence[Distances]) -> dict[str, int]:
    return {
        "tables": len({d.table for d in found}),
        "sources": len({d.source for d in found}),
        "columns": len({(d.table, d.column) for d in found}),
    }


def _write(prices: Prices, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json(prices), encoding="utf-8")
    print(f"{path}: {prices.made}", flush=True)


if __name__ == "__main__":
    main()
