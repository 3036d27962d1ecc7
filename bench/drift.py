"""How often has a good table drifted slowly, and how soon is a planted drift seen?

    python -m bench.drift --corpus DIRECTORY [--corpus ANOTHER] [--cache DIRECTORY]

Good runs of tables in which `byhistory.series.drift` opens a warning, counted from the 31st run of a table on, though
the first 62 are quiet; then ramps over the last runs of rows and averages that were steady. Roles and what was found in
other changes are left out of it, which only lower the first. Needs the cases that `make bench` keeps in the cache.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench.cases.build import cases_key
from bench.cases.cases import ColumnCases, Store
from bench.corpus import tables

from byhistory.profile.arrays import Bools, Floats
from byhistory.series.drift import BLOCK, FACTOR, FAR_BACK, LEAST, STEADY, STEPS, has_drifted, levels

FIRST_JUDGED = 30
"""Table-runs are counted from here on, as in the other benchmarks, though the first 63 are quiet."""
METRICS = {"row_count": False, "complete_ratio": True, "mean": False}
"""What is watched, and whether it is a share."""
RAMPS, SIZES = (20, 50, 100), (1.5, 2.0, 5.0)
"""Over how many runs a planted drift goes, and to how many times the level (choices)."""
WANDERS = 0.05
"""A column is steady if its level of seven runs never left its middle by more than this part."""


@dataclass(frozen=True)
class Seen:
    """A drift: in which run it is reported, of which table, column and metric."""

    table: str
    source: str
    run: int
    column: str
    metric: str


def drifted(values: Floats, *, is_share: bool, steady: float = STEADY, factor: float = FACTOR) -> Bools:
    """For each run whether the level has drifted, as far as the runs up to it tell.

    >>> slow = np.linspace(50, 250, 100)
    >>> bool(drifted(slow, is_share=False).any()), bool(drifted(np.full(100, 50.0), is_share=False).any())
    (True, False)
    """
    level, runs = levels(values), len(values)
    at = np.arange(LEAST - 1, runs)
    out = np.zeros(runs, np.bool_)
    if not len(at):
        return out
    oldest = np.maximum(at - FAR_BACK + 1, 0) + BLOCK - 1
    recent = at[:, None] - BLOCK * np.arange(STEPS - 1, -1, -1)
    path = np.column_stack([level[oldest], level[recent]])
    out[at] = has_drifted(path, is_share=is_share, steady=steady, factor=factor)
    return out


def opened(values: Floats, *, is_share: bool, steady: float = STEADY, factor: float = FACTOR) -> list[int]:
    """The runs in which a drift is reported: after each the past begins anew, so that it is reported once."""
    found: list[int] = []
    first = 0
    while True:
        hit = np.flatnonzero(drifted(values[first:], is_share=is_share, steady=steady, factor=factor))
        if not len(hit):
            return found
        first += int(hit[0]) + 1
        found.append(first - 1)


def series_of(table: Sequence[ColumnCases]) -> Iterator[tuple[ColumnCases, str, Floats]]:
    """What is watched in a table: its rows once, and the other metrics of each column."""
    for i, column in enumerate(table):
        for metric in METRICS:
            if metric in column.metrics and (i == 0 or metric != "row_count"):
                yield column, metric, column.series[column.metrics.index(metric)]


def good(found: Sequence[Sequence[ColumnCases]], steady: float, factor: float) -> list[Seen]:
    """Drifts that are reported in good runs."""
    return [
        Seen(c.table, c.source, run, c.column, metric)
        for table in found
        for c, metric, values in series_of(table)
        for run in opened(values, is_share=METRICS[metric], steady=steady, factor=factor)
    ]


def planted(found: Sequence[Sequence[ColumnCases]], ramp: int, size: float) -> tuple[int, list[int]]:
    """How many steady means and rows were given a ramp over their last runs, and after how many each was reported."""
    tried, after = 0, []
    for table in found:
        for _, metric, values in series_of(table):
            begins = len(values) - ramp
            if METRICS[metric] or len(values) < max(LEAST + 10, ramp) or not _is_steady(values):
                continue
            grown = values.copy()
            grown[begins:] *= np.linspace(1.0, size, ramp)
            tried += 1
            after += [run - begins + 1 for run in opened(grown, is_share=False)[:1] if run >= begins]
    return tried, after


def _is_steady(values: Floats) -> bool:
    level = levels(values)
    known = level[np.isfinite(level)]
    if len(known) < LEAST or not (known > 0).all():
        return False
    middle = float(np.median(known))
    return bool((np.abs(known - middle) <= WANDERS * middle).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", required=True)
    parser.add_argument("--cache", type=Path, default=Path(".bench"))
    asked = parser.parse_args()
    store = Store(asked.cache / "cases")
    every: list[list[ColumnCases]] = []
    for corpus in asked.corpus:
        found = [columns for t in tables(corpus) if (columns := store.read(cases_key(t)))]
        every += found
        runs = sum(max(0, len(columns[0].labels) - FIRST_JUDGED) for columns in found)
        for steady, factor in ((2.0, 1.5), (STEADY, FACTOR), (STEADY, 2.0), (2.5, 1.5)):
            seen = good(found, steady, factor)
            drifted = {(s.table, s.run) for s in seen}
            sources = len({s.source for s in seen})
            chosen = " (chosen)" * ((steady, factor) == (STEADY, FACTOR))
            print(
                f"{corpus.name}, {steady} steps and a factor of {factor}{chosen}: {len(drifted) / runs:.2%} of {runs} "
                f"good table-runs, {len({s.table for s in seen})} tables of {sources} sources"
            )
    for ramp in RAMPS:
        for size in SIZES:
            tried, after = planted(every, ramp, size)
            soon = f", after {np.median(after):.0f} runs of the ramp" if after else ""
            print(f"a ramp of {ramp} runs to {size} times: {len(after)} of {tried} told{soon}")


if __name__ == "__main__":
    main()
