"""Does a budget hold for tables of up to 300 columns, of which the corpora have none? Tables are set side by side.

    python -m bench.wide --corpus DIRECTORY [--corpus ANOTHER]

Tables drawn at random, each with its last good runs, are taken for one until it has that many columns. Their columns
have nothing to do with one another: no table is harder to keep within a budget. Judged as the product judges, by prices
that the source of the first of them had no part in; the rows are those of the first. A tenth of the faults in one of
its columns is put into a run that is as usual.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from bench.distances import Distances, distances
from bench.methods.calibrated import prices_for
from bench.of_tables import TableRuns, column_places, say, table_numbers
from bench.promise import judged
from bench.summary import WHOLE_ROWS

from byhistory.learners.calibrated.fit import source_number
from byhistory.learners.calibrated.prices import Prices
from byhistory.profile.arrays import Bools, Ints

WIDTHS = (30, 60, 100, 200, 300)
"""From what the corpora have to what the promise was asked for."""
RUNS, TABLES = 40, 30
"""Runs of each table, and tables of each width (by choice: fewer tables of the corpora have more runs)."""
SHARE = 0.1
"""Of the faults, drawn at random: they are many, and alike."""
SEED = 1
"""Of the draws, by choice: the same tables every time."""


def side_by_side(good: TableRuns, drawn: Sequence[Ints]) -> TableRuns:
    """The runs of these tables, given by their places, as of one table with the source of the first."""
    parts = {}
    for name in ("surprises", "rows", "stops", "is_material"):
        of = [getattr(good, name)[at][:, there(good, at)] for at in drawn]
        if name == "rows":  # they are judged once
            of[1:] = [np.full(rows.shape, np.nan) for rows in of[1:]]
        parts[name] = np.concatenate(of, axis=1)
    first = drawn[0]
    return TableRuns(**parts, source=good.source[first], table=good.table[first], run=good.run[first])


def there(good: TableRuns, at: Ints) -> Ints:
    """The places of the columns that these runs have."""
    return np.flatnonzero(~np.isnan(good.surprises[at]).all(axis=0))


def draws(good: TableRuns, width: int, random: np.random.Generator) -> Iterator[list[Ints]]:
    """Tables with enough runs, drawn until they have about so many columns."""
    runs = [np.flatnonzero(good.table == t)[-RUNS:] for t in np.unique(good.table)]
    long = [at for at in runs if len(at) == RUNS]
    for _ in range(TABLES):
        drawn: list[Ints] = []
        columns = 0
        for i in random.permutation(len(long)):
            more = len(there(good, long[i]))
            if columns + more <= 1.1 * width:
                drawn, columns = [*drawn, long[i]], columns + more
            if columns >= 0.9 * width:
                break
        yield drawn


def in_one_column(
    runs: TableRuns,
    places: Mapping[int, int],
    faults: Mapping[int, Distances],
    prices: Mapping[int, Prices],
    random: np.random.Generator,
) -> Bools:
    """Faults in columns of the first table, each put into a run that is as usual; stopped, and told."""
    usual = np.flatnonzero(~judged(runs, prices)[:, 1])
    hit = [np.zeros((0, 2), np.bool_)]
    for place, d in faults.items():
        in_one = np.array([t not in WHOLE_ROWS for t in d.type]) & (random.random(len(d.type)) < SHARE)
        if place not in places or not in_one.any() or not len(usual):
            continue
        some = runs.some(np.full(int(in_one.sum()), usual[len(usual) // 2]))
        for name, part in zip(
            ("surprises", "rows", "stops", "is_material"), say(d, prices[source_number(d.source)]), strict=True
        ):
            if name != "rows":
                getattr(some, name)[:, places[place]] = part[in_one]
        hit.append(judged(some, prices))
    return np.concatenate(hit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", required=True)
    parser.add_argument("--cache", type=Path, default=Path(".bench"))
    asked = parser.parse_args()
    found = [d for corpus in asked.corpus for d in distances(corpus, asked.cache)]
    prices = {source_number(d.source): prices_for(d.source) for d in found}
    good = TableRuns.of(found, prices, windows=0)
    number, place = table_numbers(found), column_places(found)
    print("columns  good runs stopped, of these by a rule, told; faults in one column, stopped and told")
    for width in WIDTHS:
        random = np.random.default_rng(SEED)
        hits, by_rule, columns = [], [], []
        caught: dict[str, list[Bools]] = {"seen": [], "unseen": []}
        for drawn in draws(good, width, random):
            runs = side_by_side(good, drawn)
            hits.append(judged(runs, prices))
            by_rule.append(runs.stops.any(axis=1))
            columns.append(runs.surprises.shape[1])
            places = {int(p): i for i, p in enumerate(there(good, drawn[0]))}
            table = int(good.table[drawn[0][0]])
            for name, into in caught.items():
                mine = [d for d in found if d.set == name and number[d.table] == table]
                faults = {place[d.table, d.column]: d for d in mine}
                into.append(in_one_column(runs, places, faults, prices, random))
        stopped, told = np.concatenate(hits).mean(axis=0)
        of_faults = "; ".join(
            f"{name} {a:.2f} {b:.2f} of {len(np.concatenate(of))}"
            for name, of in caught.items()
            for a, b in [np.concatenate(of).mean(axis=0)]
        )
        print(
            f"{np.mean(columns):5.0f}   {stopped:.3f} {np.concatenate(by_rule).mean():.3f} {told:.3f}; {of_faults}",
            flush=True,
        )


if __name__ == "__main__":
    main()
