"""What do the rules that always stop cost on good runs? Every run of a corpus, judged by the runs before it.

    python -m bench.always --corpus DIRECTORY [--cache DIRECTORY]
    python -m bench.always --corpus DIRECTORY --rows    only the rows of tables, in seconds: no profile is needed

Prints, for each rule and for all together, the share of good column-runs and table-runs that it stops, with the number
of sources that have one. The prices in `byhistory.constraints.always` come from here.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from bench.cases.cases import WINDOW
from bench.cases.profiles import load, profile_all
from bench.corpus import Table, tables

from byhistory.constraints import judge
from byhistory.constraints.always import (
    ALL,
    DISTANCES,
    METRICS,
    NEEDED,
    OF_ROWS,
    SAME_AGAIN,
    Rule,
    always_changed,
    is_same_again,
    same_again,
)
from byhistory.metrics import by_name, measure

ROOT = Path(__file__).parents[1]


def broken(table: Table, cache: Path) -> Iterator[tuple[int, str, str]]:
    """Run, column and rule of every rule that a good run breaks; ("", "") once for every column-run that was judged."""
    runs = load(table, cache)
    good = [run for run in table.good if run in runs]
    metrics = [by_name(name) for name in METRICS]
    for column in sorted({name for run in good for name in runs[run].columns}):
        series = measure([runs[run].columns.get(column) for run in good], metrics)
        past_of = dict(zip(METRICS, series, strict=True))
        for at in range(WINDOW, len(good)):
            yield good[at], "", ""
            for rule in ALL:
                now = past_of[rule.metric][at]
                rows = runs[good[at]].rows
                values = past_of["complete_ratio"][at] * rows
                clause = rule.clause(past_of[rule.metric][at - WINDOW : at], rows, values)
                if clause is not None and judge(clause, now, ()).status == "broken":
                    yield good[at], column, rule.name


def repeated(table: Table, cache: Path, history: int = WINDOW) -> Iterator[tuple[int, str]]:
    """Good runs that are said to be the run before again, with the level."""
    runs = load(table, cache)
    good = [run for run in table.good if run in runs]
    metrics = [by_name(name) for name in DISTANCES]
    columns = sorted({name for run in good for name in runs[run].columns})
    series = {c: measure([runs[run].columns.get(c) for run in good], metrics) for c in columns}
    for at in range(history, len(good)):
        changing = [c for c in columns if always_changed(series[c][:, at - history : at])]
        same = [c for c in changing if is_same_again(series[c][:, at : at + 1])[0]]
        level = same_again(changing, same, history)
        if level != "as usual":
            yield good[at], level


def tell_rows(corpus: Path, found: list[Table]) -> None:
    for rule in OF_ROWS:
        for history in (WINDOW, NEEDED):
            judged, stopped = by_rows(rule, corpus, found, history)
            print(f"{rule.name} after {history} runs: {stopped} of {judged:,} good runs of tables")


def by_rows(rule: Rule, corpus: Path, found: list[Table], history: int) -> tuple[int, int]:
    """Good runs of tables that were judged by so many before, and those of them that a rule on rows, as delivered,
    stops.
    """
    with (corpus / "runs.csv").open(encoding="utf-8") as file:
        rows = {(r["table"], int(r["run"])): float(r["rows_delivered"] or r["rows"]) for r in csv.DictReader(file)}
    judged = stopped = 0
    for table in found:
        series = np.array([rows[table.name, run] for run in table.good])
        for at in range(history, len(series)):
            clause = rule.clause(series[at - history : at], series[at], series[at])
            judged += 1
            stopped += clause is not None and judge(clause, series[at], ()).status == "broken"
    return judged, stopped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=ROOT / ".bench")
    parser.add_argument("--rows", action="store_true")
    asked = parser.parse_args()
    found = list(tables(asked.corpus))
    if asked.rows:
        tell_rows(asked.corpus, found)
        return
    profile_all(found, asked.cache / "profiles")
    column_runs, table_runs = 0, set[tuple[str, int]]()
    by_column, by_run, by_source = Counter[str](), Counter[str](), dict[str, set[str]]()
    for table in found:
        stopped: dict[str, set[int]] = {}
        for run, column, rule in broken(table, asked.cache / "profiles"):
            if not column:
                column_runs += 1
                table_runs.add((table.name, run))
                continue
            for name in (rule, "any rule"):
                stopped.setdefault(name, set()).add(run)
                by_source.setdefault(name, set()).add(table.source)
            by_column[rule] += 1
            print(f"  {table.name} {table.labels[run]} {column}: {rule}")
        for run, level in repeated(table, asked.cache / "profiles"):
            name = f"{SAME_AGAIN} ({level})"
            by_source.setdefault(name, set()).add(table.source)
            by_run[name] += 1
            print(f"  {table.name} {table.labels[run]}: {name}")
            if level == "stop":
                stopped.setdefault("any rule", set()).add(run)
        for name, of in stopped.items():
            by_run[name] += len(of)
    print(f"{column_runs:,} good column-runs, {len(table_runs):,} good table-runs")
    for name in (*(rule.name for rule in ALL), f"{SAME_AGAIN} (stop)", f"{SAME_AGAIN} (warn)", "any rule"):
        columns = f"{by_column[name] / max(1, column_runs):.4%} of column-runs, " if name in by_column else ""
        share = by_run[name] / max(1, len(table_runs))
        print(f"{name}: {columns}{share:.3%} of table-runs, in {len(by_source.get(name, ()))} sources")


if __name__ == "__main__":
    main()
