"""How long are real tables waited for, and how often would a good run have been called late?

Labels of tables that were really delivered run by run say when they came (`byhistory.series.due`). Every run from the
fifteenth on is replayed: the past labels tell when it is due, and it is late if it came after the limit. The prior is
measured on all other sources. The last line has the rates.

    python -m bench.due --corpus DIRECTORY
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.corpus import corpus_argument, tables

from byhistory.series import due
from byhistory.series.cadence import LEAST, cadence, time_of

WAITS = (0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Waits of the prior, in steps between runs (a choice: finer where most runs come)."""
BUDGETS = (0.01, 0.05)
"""How often a good run may be called late: the default, and five times that."""


@dataclass(frozen=True)
class Wait:
    """One run: how long it was waited for beyond its time, in steps, and the waits of the runs before it."""

    source: str
    table: str
    run: str
    steps: float
    past: tuple[float, ...]
    has_calendar: bool


def main() -> None:
    """Print the prior and the rates."""
    options = argparse.ArgumentParser(description=__doc__)
    corpus_argument(options)
    corpus = options.parse_args().corpus
    waits = [wait for table, labels in delivered(corpus).items() for wait in replayed(table, labels)]
    print(f"{len(waits)} runs of {len({w.table for w in waits})} tables, {len({w.source for w in waits})} sources")
    measured = survival(waits)
    print("PRIOR =", tuple((wait, round(rate, 4)) for wait, rate in zip(WAITS, measured, strict=True)))
    shown = []
    for budget in BUDGETS:
        late = {wait: is_late(wait, waits, budget) for wait in waits}
        rate = sum(late.values()) / len(late)
        with_calendar = [value for wait, value in late.items() if wait.has_calendar]
        shown += [
            f"late_at_{budget:g}={rate:.4f}",
            f"with_calendar_at_{budget:g}={sum(with_calendar) / len(with_calendar):.4f}",
        ]
        worst: dict[str, int] = defaultdict(int)
        for wait, value in late.items():
            worst[wait.table] += value
        top = sorted(worst.items(), key=lambda item: -item[1])[:6]
        print(f"at {budget:.0%}:", ", ".join(f"{name} {count}" for name, count in top if count))
    print(*shown)


def delivered(corpus: Path) -> dict[str, list[str]]:
    """Labels of the tables that came run by run."""
    with (corpus / "catalogue.csv").open(newline="") as file:
        real = {
            row["table"] for row in csv.DictReader(file) if not (row.get("delivery") or "").startswith("cut by date")
        }
    return {table.name: list(table.labels) for table in tables(corpus) if table.name in real}


def replayed(table: str, labels: Sequence[str]) -> Iterator[Wait]:
    """Every run, as its past would have waited for it. A label is the time of arrival, too."""
    for i in range(LEAST, len(labels)):
        past = labels[max(0, i - due.LOOKS_BACK) : i]
        times = [t for t in map(time_of, (*past, labels[i])) if t is not None]
        if len(times) <= len(past):
            continue
        *before, now = times
        arrivals = [due.Arrival(label, at) for label, at in zip(past, before, strict=True)]
        found = due.schedule(arrivals, before[-1])
        if found is not None:
            steps = max(0.0, (now - found.next[0].expected) / found.step)
            yield Wait(table.split("__", maxsplit=1)[0], table, labels[i], steps, found.waits, cadence(past).is_known)


def survival(waits: Sequence[Wait]) -> list[float]:
    """The share of runs that were waited for at least so long, each source with the same weight."""
    by_source: dict[str, list[float]] = defaultdict(list)
    for wait in waits:
        by_source[wait.source].append(wait.steps)
    return [
        1.0
        if not least
        else sum(sum(s >= least for s in own) / len(own) for own in by_source.values()) / len(by_source)
        for least in WAITS
    ]


def is_late(wait: Wait, waits: Sequence[Wait], budget: float) -> bool:
    """Whether a run would have been called late, with the prior of all other sources."""
    prior = _prior_without(wait.source, tuple(waits))
    return wait.steps > due.limit(wait.past, budget, prior)


_PRIORS: dict[str, due.Prior] = {}


def _prior_without(source: str, waits: tuple[Wait, ...]) -> due.Prior:
    if source not in _PRIORS:
        rates = survival([w for w in waits if w.source != source])
        _PRIORS[source] = tuple(zip(WAITS, rates, strict=True))
    return _PRIORS[source]


if __name__ == "__main__":
    main()
