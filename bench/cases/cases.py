"""What every method is asked: the past of a column as numbers, and what came next or could have come."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from byhistory.inject import Responses
from byhistory.metrics import PAIR
from byhistory.profile import Kind
from byhistory.profile.arrays import Bools, Floats
from byhistory.series.cadence import calendar, spread_out

WINDOW = 30
"""Runs of history that a method sees."""
_PAIRS = frozenset(m.name for m in PAIR)


@dataclass(frozen=True)
class Past:
    """What a method may know: the metrics over the past runs, the labels of those runs and of the one to judge.

    `responses` are what the metrics would read if each of the training faults happened to the last past run; they
    belong to the method of byhistory and are there for any other that wants them. `is_determined` says whether another
    column of the table has determined this one so far (a functional dependency).
    """

    kind: Kind
    metrics: tuple[str, ...]
    series: Floats
    """One row per metric, one column per run, oldest first; nan where undefined."""
    labels: tuple[str, ...]
    responses: Responses | None = None
    is_determined: bool = False
    source: str = ""
    """Whose table it is; only for learners that must not have been tuned on it."""

    @cached_property
    def is_pair(self) -> Bools:
        """Which metrics are distances to the run before."""
        return np.array([name in _PAIRS for name in self.metrics])

    @cached_property
    def on_calendar(self) -> tuple[Floats, tuple[int, ...]]:
        """The series with a gap where a run did not come, and the seasons that the labels tell."""
        runs = self.series.shape[1]
        found = calendar(self.labels[:runs], next(iter(self.labels[runs:]), None))  # an incident's is not known
        return spread_out(self.series, found.places), found.seasons

    def row(self, metric: str) -> int:
        """The place of a metric, -1 if the column does not have it."""
        return self.metrics.index(metric) if metric in self.metrics else -1


@dataclass(frozen=True)
class Bad:
    """Runs that are not as usual: what each metric would read (one row per run), and what each is called."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    values: Floats


@dataclass(frozen=True)
class ColumnCases:
    """All cases of one column. Runs are numbered among the good ones of its table."""

    table: str
    column: str
    source: str
    domain: str
    kind: Kind
    cadence: str
    metrics: tuple[str, ...]
    labels: tuple[str, ...]
    series: Floats
    windows: tuple[int, ...]
    """The runs to judge, with the 30 before each as its past; for precision."""
    recall_at: int
    """The run that bad ones stand in for."""
    bad: dict[str, Bad] = field(default_factory=dict)
    """By set: real, seen, unseen, and incident, whose `past` ends where it happened."""
    incidents_at: tuple[int, ...] = ()
    is_determined: bool = False

    def past(self, at: int, window: int = WINDOW, responses: Responses | None = None) -> Past:
        """What is known before run `at`."""
        first = max(0, at - window)
        series = self.series[:, first:at].copy()
        series[[name in _PAIRS for name in self.metrics], :1] = np.nan  # the run before the first is not known
        return Past(
            self.kind,
            self.metrics,
            series,
            self.labels[first : at + 1],
            responses,
            self.is_determined,
            self.source,
        )


@dataclass(frozen=True)
class Store:
    """Cases on disk, one file per table."""

    root: Path

    def write(self, key: str, columns: Sequence[ColumnCases]) -> None:
        """Keep the cases of a table; all of them or none."""
        self.root.mkdir(parents=True, exist_ok=True)
        partial = self.root / f"{key}.cases.partial"
        partial.write_bytes(pickle.dumps(list(columns), protocol=pickle.HIGHEST_PROTOCOL))
        partial.replace(self.root / f"{key}.cases")

    def has(self, key: str) -> bool:
        return (self.root / f"{key}.cases").exists()

    def read(self, key: str) -> list[ColumnCases]:
        return pickle.loads((self.root / f"{key}.cases").read_bytes())  # noqa: S301 - our own file


def windows_of(runs: int, most: int, window: int = WINDOW) -> tuple[int, ...]:
    """The runs to judge: all that have a full window before them, or this many evenly spread.

    >>> windows_of(33, 30), windows_of(130, 3)
    ((30, 31, 32), (30, 80, 129))
    """
    free = runs - window
    if free <= 0:
        return ()
    if free <= most:
        return tuple(range(window, runs))
    return tuple(sorted({window + round(i * (free - 1) / (most - 1)) for i in range(most)}))


def thinned(columns: Iterable[ColumnCases], every: int) -> list[ColumnCases]:
    """With every n-th window, and the one that bad runs stand in for."""
    return [
        replace(c, windows=tuple(at for i, at in enumerate(c.windows) if i % every == 0 or at == c.recall_at))
        for c in columns
    ]
