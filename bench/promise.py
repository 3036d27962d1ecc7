"""Does a budget of a table hold, and what is caught within it? As the product judges, by prices of other sources.

    python -m bench.promise --corpus DIRECTORY [--corpus ANOTHER] [--coarse]

Good runs of tables that are stopped (1 %; what touches hardly a row is not) or at least warned about (5 %), with the
interval over sources, by the number of columns, without the runs that bench/events.csv lists, and for short histories;
then the faults that are stopped and warned about, in one column while the others are as they were, and of whole rows.
With `--coarse`, of profiles as a store keeps them where `keep_values` is not set.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench.cases.build import cases_key
from bench.cases.cases import WINDOW, Store
from bench.corpus import Table, tables
from bench.distances import Distances, distances
from bench.events import EVENTS
from bench.judge import BAD, INCIDENT
from bench.methods.calibrated import prices_for
from bench.of_tables import TableRuns, column_places, say, table_numbers
from bench.summary import WHOLE_ROWS

from byhistory.learners.calibrated.fit import over_sources, source_number
from byhistory.learners.calibrated.prices import Prices
from byhistory.profile.arrays import Bools, Floats, Ints

STOP, WARN = 0.01, 0.05
"""The budgets of a table that the product has if nothing is said."""
WIDTHS = ((1, 4), (5, 9), (10, 19), (20, 60))
"""Numbers of columns by which good runs are shown apart."""


@dataclass(frozen=True)
class Outcomes:
    """Runs that were judged: whether each was stopped, and stopped or warned about (columns), and what they were."""

    name: str
    hit: Bools
    source: Ints
    weight: Floats

    def __str__(self) -> str:
        rates = over_sources(self.hit, self.weight, self.source)
        return (
            f"{self.name:44}" + "  ".join(f"{m:.3f} ({a:.3f}-{b:.3f})" for a, m, b in rates) + f"  of {len(self.hit)}"
        )


def judged(runs: TableRuns, prices: Mapping[int, Prices]) -> Bools:
    """Stopped, and stopped or warned about, by the prices that leave its source out."""
    hit = np.zeros((len(runs.source), 2), np.bool_)
    for source in np.unique(runs.source):
        mine, tables = runs.source == source, prices[int(source)].tables
        assert tables is not None
        ours = runs.some(mine)
        stopped = ours.stopped(tables, STOP)
        # What touches hardly a row is reported one level lower.
        reported = stopped | ours.told(tables, STOP) | ours.stopped(tables, WARN)
        hit[mine] = np.stack([stopped, reported], axis=1)
    return hit


def good_runs(
    found: Sequence[Distances], prices: Mapping[int, Prices], events: frozenset[tuple[str, int]] = frozenset()
) -> Iterator[Outcomes]:
    """All, without those that are `events` (table and place of the run), by width, and after shorter histories."""
    name_of = {number: name for name, number in table_numbers(found).items()}
    for history in sorted({d.history for d in found}):
        runs = TableRuns.of(found, prices, history=history, windows=0)
        hit, ones = judged(runs, prices), np.ones(len(runs.source))
        yield Outcomes(f"good runs, after {history} runs of history", hit, runs.source, ones)
        usual = np.array([(name_of[int(t)], int(r)) not in events for t, r in zip(runs.table, runs.run, strict=True)])
        if history == WINDOW and not usual.all():
            yield Outcomes("  without the listed events", hit[usual], runs.source[usual], ones[usual])
        width = (~np.isnan(runs.surprises)).sum(axis=1)
        for low, high in WIDTHS:
            of = (width >= low) & (width <= high)
            if of.any():
                yield Outcomes(f"  of {low} to {high} columns", hit[of], runs.source[of], ones[of])


def listed_events(found: Sequence[Table], store: Store) -> frozenset[tuple[str, int]]:
    """The good runs that bench/events.csv lists, as table and place of the run."""
    with EVENTS.open(newline="", encoding="utf-8") as file:
        listed = {(line["table"], line["run"]) for line in csv.DictReader(file)}
    named = {name for name, _ in listed}
    labels = {t.name: store.read(cases_key(t))[0].labels for t in found if t.name in named}
    return frozenset((t, i) for t, of in labels.items() for i, label in enumerate(of) if (t, label) in listed)


def faults(found: Sequence[Distances], prices: Mapping[int, Prices]) -> Iterator[Outcomes]:
    """In one column, and of whole rows; every column counts alike."""
    good = TableRuns.of(found, prices, windows=0)
    row_of = {(int(t), int(r)): i for i, (t, r) in enumerate(zip(good.table, good.run, strict=True))}
    table, places = table_numbers(found), column_places(found)
    for name in BAD:
        reported: dict[str, list[tuple[Bools, int]]] = {}
        for d in (d for d in found if d.set == name):
            in_one = np.array([t not in WHOLE_ROWS for t in d.type])
            at = row_of.get((table[d.table], int(d.run[0])))
            if at is None or not in_one.any():
                continue
            runs = good.some(np.full(len(d.run), at))
            _put(runs, places[d.table, d.column], say(d, prices[source_number(d.source)]))
            hit = judged(runs, prices)
            for kind in dict.fromkeys(("", *d.type)):
                of = in_one & np.array([kind in ("", t) for t in d.type])
                reported.setdefault(kind, []).extend((line, source_number(d.source)) for line in hit[of])
        for kind, lines in reported.items():
            if lines:
                yield _outcomes(f"{name}, in one column" if not kind else f"  {kind}", lines)
    for name in ("seen", "unseen", INCIDENT):
        yield from _whole(found, prices, name)


def _whole(found: Sequence[Distances], prices: Mapping[int, Prices], name: str) -> Iterator[Outcomes]:
    """Faults that happen to all columns of a run at once."""
    table, places = table_numbers(found), column_places(found)
    width = 1 + max(places.values())
    runs: dict[tuple[int, str], tuple[Floats, int]] = {}
    for d in (d for d in found if d.set == name):
        parts = say(d, prices[source_number(d.source)])
        for i, fault in enumerate(d.name):
            if name == INCIDENT or d.type[i] in WHOLE_ROWS:
                cells, _ = runs.setdefault(
                    (table[d.table], fault), (np.full((4, width), np.nan), source_number(d.source))
                )
                cells[:, places[d.table, d.column]] = [part[i] for part in parts]
    if not runs:
        return
    wide = np.array([cells for cells, _ in runs.values()])
    source = np.array([s for _, s in runs.values()])
    wide_runs = TableRuns(wide[:, 0], wide[:, 1], wide[:, 2] == 1.0, wide[:, 3] == 1.0, source, source, source)
    label = INCIDENT if name == INCIDENT else f"{name}, of whole rows"
    hit = judged(wide_runs, prices)
    yield Outcomes(label, hit, source, np.ones(len(source)))
    if name == INCIDENT:
        high = np.array(["(high)" in fault for _, fault in runs])
        if high.any():
            yield Outcomes("  of high visibility", hit[high], source[high], np.ones(int(high.sum())))


def _put(runs: TableRuns, place: int, parts: tuple[Floats, Floats, Bools, Bools]) -> None:
    for name, part in zip(("surprises", "rows", "stops", "is_material"), parts, strict=True):
        getattr(runs, name)[:, place] = part


def _outcomes(name: str, lines: list[tuple[Bools, int]]) -> Outcomes:
    return Outcomes(name, np.array([hit for hit, _ in lines]), np.array([s for _, s in lines]), np.ones(len(lines)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, action="append", required=True)
    parser.add_argument("--cache", type=Path, default=Path(".bench"))
    parser.add_argument("--coarse", action="store_true")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    print(f"{'':44}stopped within {STOP:.0%}    told within {WARN:.0%} of good table-runs")
    for corpus in asked.corpus:
        found = [*distances(corpus, asked.cache, asked.processes, coarse=asked.coarse)]
        prices = {source_number(d.source): prices_for(d.source) for d in found}
        listed = listed_events(list(tables(corpus)), Store(asked.cache / "cases"))
        for reported in (*good_runs(found, prices, listed), *faults(found, prices)):
            print(reported, flush=True)


if __name__ == "__main__":
    main()
