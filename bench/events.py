"""Which good runs are most surprising, and what happened in them? `python -m bench.events --corpus DIRECTORY`.

Writes bench/events.csv: the hundred good runs of tables that the learner finds most surprising, by prices that their
source had no part in, with what the data themselves say: the column that stands out, the metric that adds most to its
total, what that read and what it usually reads. Nobody listed these as incidents; most of them are events all the same.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bench.cases.build import cases_key
from bench.cases.cases import WINDOW, ColumnCases, Store, windows_of
from bench.corpus import corpus_argument, tables
from bench.distances import Distances, distances
from bench.judge import GOOD
from bench.methods.calibrated import prices_for
from bench.of_tables import added_by, column_surprises

from byhistory.profile.arrays import Floats

EVENTS = Path(__file__).parent / "events.csv"
MOST = 100
"""Good runs that are listed, by choice: as many as a person reads."""
HEAD = (
    *("table", "run", "once_in", "is_stopped_by_rule", "is_shared", "columns_moved", "columns"),
    *("column", "metric", "read", "usual"),
)
MOVED = 1.5
"""The surprise of a column from which on it counts as moved: once in thirty."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus_argument(parser)
    parser.add_argument("--cache", type=Path, default=Path(".bench"))
    parser.add_argument("-o", "--output", type=Path, default=EVENTS)
    asked = parser.parse_args()
    by_table: dict[str, list[Distances]] = {}
    for d in distances(asked.corpus, asked.cache):
        if d.set == GOOD and d.history == WINDOW:
            by_table.setdefault(d.table, []).append(d)
    store = Store(asked.cache / "cases")
    keys = {t.name: cases_key(t) for t in tables(asked.corpus)}
    found = [line for name, of in by_table.items() for line in events(of, store.read(keys[name]))]
    found.sort(key=lambda line: -float(str(line[2])))
    with asked.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEAD)
        writer.writerows([*line[:2], f"{10 ** float(str(line[2])):.0f}", *line[3:]] for line in found[:MOST])
    print(f"{asked.output}: {min(MOST, len(found))} of {len(found)} good runs of tables")


def events(of: Sequence[Distances], cases: Sequence[ColumnCases]) -> list[list[object]]:
    """All judged runs of one table, one line each."""
    prices = prices_for(of[0].source)
    assert prices.tables is not None
    judged = sorted({int(run) for d in of for run in d.run} & set(windows_of(of[0].runs, 30)))
    wide = np.full((len(judged), len(of)), np.nan)
    place = {run: i for i, run in enumerate(judged)}
    stops = np.zeros(len(judged), np.bool_)
    for j, d in enumerate(of):
        for run, surprise, stop in zip(d.run, column_surprises(d, prices), d.stops, strict=True):
            if int(run) in place:
                wide[place[int(run)], j] = surprise
                stops[place[int(run)]] |= bool(stop)
    said = prices.tables.judge(wide)
    series = {c.column: c for c in cases}
    lines: list[list[object]] = []
    for i, run in enumerate(judged):
        d = of[int(said.column[i])]
        at = int(np.flatnonzero(d.run == run)[0])
        metric = d.metrics[int(added_by(d, prices)[at].argmax())]
        column = series[d.column]
        values = column.series[column.metrics.index(metric)]
        moved, judged_columns = int((wide[i] > MOVED).sum()), int((~np.isnan(wide[i])).sum())
        shown = (_short(values[run]), _short(_median(values[max(0, run - WINDOW) : run])))
        shared = bool(said.is_shared[i])
        head = [d.table, column.labels[run], float(said.surprise[i]), bool(stops[i]), shared, moved, judged_columns]
        lines.append([*head, d.column, metric, *shown])
    return lines


def _median(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else float("nan")


def _short(value: float) -> str:
    return "undefined" if not np.isfinite(value) else f"{value:.5g}"


if __name__ == "__main__":
    main()
