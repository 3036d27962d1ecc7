"""What a verdict needs to know about the runs before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from byhistory.metrics import Metric, measure
from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.profile.past import column_over, in_order, run_key
from byhistory.series.cadence import calendar, laid_out


@dataclass(frozen=True, slots=True)
class ColumnPast:
    """One column before the run: its last profile, and what metrics read in every past run, oldest first."""

    before: ColumnProfile | None
    series: Callable[[Sequence[Metric]], Floats]
    """Metrics to their past values, one row per metric; nan where a run has none."""
    recent: Callable[[Sequence[Metric], int], Floats] | None = None
    """The same for a given number of the last places of the calendar only, which is less work."""
    as_read: Callable[[Sequence[Metric]], Floats] | None = None
    """What the metrics really read, where `series` has the runs before a new level moved onto it."""

    def really(self, metrics: Sequence[Metric]) -> Floats:
        """What metrics read in the past runs, not moved onto a new level."""
        return self.series(metrics) if self.as_read is None else self.as_read(metrics)

    def last(self, metrics: Sequence[Metric], runs: int) -> Floats:
        """What metrics read in this many of the last runs, or in all if there are fewer."""
        if self.recent is not None:
            return self.recent(metrics, runs)
        return self.series(metrics)[:, -runs:]


@dataclass(frozen=True, slots=True)
class Past:
    """The runs before, oldest first: labels, numbers of rows, types of the columns, and each column when asked for.

    It can come from profiles in memory or from a store that keeps the metrics beside the profiles, so that a check
    does not have to read thirty runs to compare with one.
    """

    runs: tuple[str, ...]
    rows: tuple[int, ...]
    schemas: tuple[Mapping[str, str], ...]
    column: Callable[[str], ColumnPast]

    @staticmethod
    def of(profiles: Iterable[TableProfile], until: str = "") -> Past:
        """The past as profiles tell it; runs labelled `until` or later are left out, unless it is empty."""
        tables = [t for t in in_order(profiles) if not until or run_key(t.run) < run_key(until)]
        places = calendar([t.run for t in tables], until or None).places

        def column(name: str) -> ColumnPast:
            over = column_over(tables, name)
            before = next((p for p in reversed(over) if p is not None), None)
            return ColumnPast(before, partial(_measured, over), partial(_measured_last, laid_out(over, places)))

        return Past(
            tuple(t.run for t in tables),
            tuple(t.rows for t in tables),
            tuple({name: t[name].type for name in t} for t in tables),
            column,
        )


def _measured(over: Sequence[ColumnProfile | None], metrics: Sequence[Metric]) -> Floats:
    return measure(over, metrics) if over else np.zeros((len(metrics), 0))


def _measured_last(over: Sequence[ColumnProfile | None], metrics: Sequence[Metric], runs: int) -> Floats:
    start = max(0, len(over) - runs)
    from_here = start
    while from_here > 0:  # a distance is taken to the last run before that has the column
        from_here -= 1
        if over[from_here] is not None:
            break
    return _measured(over[from_here:], metrics)[:, start - from_here :]
