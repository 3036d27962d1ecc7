"""Does a steady column that is wholly null stop, at every budget? It is a law: what passes is printed, and is a fault.

    python -m bench.wholly_null --corpus DIRECTORY [--corpus ANOTHER] [--every 1]

In the last good run of each table, every column that had at least nine of ten values in all runs of its past has none.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.cases.cases import WINDOW
from bench.cases.profiles import load, profile_all
from bench.corpus import Table, tables
from bench.life_runs import labelled

from byhistory.learners import learn
from byhistory.profile import ColumnProfile, TableProfile
from byhistory.verdict import Past, check

BUDGETS = (1e-6, 1e-4, 0.01, 0.1)
"""Of a table: the law holds at every one, so a few far apart."""
_STEADY, _VALUES = 0.9, 5
"""A column is steady if at least this share of its rows, and this many, had a value (choices)."""
_WIDEST = 30
"""Columns of a kind that one table is asked about: a few tables are very wide."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a column that is wholly null stops its run at a budget."""

    table: str
    column: str
    budget: float
    stops: bool


def answers(table: Table, cache: Path) -> Iterator[Answer]:
    """What a table says: nothing if it has too few runs, or no steady column."""
    read = load(table, cache)
    good = [run for run in table.good if run in read][-WINDOW - 1 :]
    if len(good) <= WINDOW:
        return
    runs = [labelled(read[run], f"{place:03}", list(table.columns(_WIDEST))) for place, run in enumerate(good)]
    *past, now = runs
    steady = [name for name in now.columns if all(_is_steady(run.columns.get(name)) for run in runs)]
    emptied = {name: _emptied(now.columns[name]) for name in steady}
    for budget in BUDGETS if steady else ():
        bad = TableProfile(now.run, now.rows, {**now.columns, **emptied})
        found = check(bad, learn(past, budget), Past.of(past)).findings
        stopped = {name for finding in found if finding.stops for name in (finding.column, *finding.columns)}
        yield from (Answer(table.name, name, budget, name in stopped) for name in steady)


def _is_steady(of: ColumnProfile | None) -> bool:
    return of is not None and of.present >= max(_VALUES, _STEADY * of.rows)


def _emptied(of: ColumnProfile) -> ColumnProfile:
    return ColumnProfile(of.kind, of.name, of.type, position=of.position, rows=of.rows, nulls=of.rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", required=True)
    parser.add_argument("--cache", type=Path, default=Path(".bench"))
    parser.add_argument("--every", type=int, default=1, help="ask every N-th table only")
    asked = parser.parse_args()
    cases = passed = 0
    for corpus in asked.corpus:
        found = list(tables(corpus))[:: asked.every]
        profile_all(found, asked.cache / "profiles")
        for answer in (a for table in found for a in answers(table, asked.cache / "profiles")):
            cases += 1
            passed += not answer.stops
            if not answer.stops:
                print(f"  passes: {answer.table} {answer.column} at a budget of {answer.budget:g}", flush=True)
    print(f"wholly null: {cases:,} cases of column and budget, {passed:,} not stopped")
    sys.exit(bool(passed))


if __name__ == "__main__":
    main()
