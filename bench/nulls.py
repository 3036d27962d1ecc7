"""Is a column with three values in ten null reported? `python -m bench.nulls --corpus DIRECTORY [--corpus ANOTHER]`.

As the product judges, by prices of other sources, with the rules that always stop: the column is faulty, the others are
as they were in that run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.cases.build import Rows, cases_key, happened
from bench.cases.cases import Store
from bench.cases.profiles import load
from bench.cases.unseen import THREE_IN_TEN
from bench.corpus import Table, tables
from bench.distances import Distances, distances, of_column
from bench.judge import GOOD
from bench.methods.calibrated import prices_for
from bench.promise import faults

from byhistory.learners.calibrated.fit import source_number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", required=True)
    parser.add_argument("--cache", type=Path, default=Path(".bench"))
    asked = parser.parse_args()
    print(f"{'':44}stopped within 1%    told within 5%")
    for corpus in asked.corpus:
        good = [d for d in distances(corpus, asked.cache) if d.set == GOOD]
        bad = [d for table in tables(corpus) for d in of_table(table, asked.cache)]
        prices = {source_number(d.source): prices_for(d.source) for d in good}
        for line in faults([*good, *bad], prices):
            print(line, flush=True)


def of_table(table: Table, cache: Path) -> Iterator[Distances]:
    """The fault in every column of a table where it can happen."""
    runs, rows = load(table, cache / "profiles"), Rows(table)
    for column in Store(cache / "cases").read(cases_key(table)):
        bad = happened(THREE_IN_TEN, column, table, runs, rows)
        if bad is not None:
            alone = replace(column, windows=(), bad={"unseen": bad}, incidents_at=())
            yield from (d for d in of_column(alone, histories=()) if d.set == "unseen")


if __name__ == "__main__":
    main()
