"""What a store remembers of a table, as the learner and the check want it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from byhistory.config import TableConfig
from byhistory.history import Decision, RunLine, Store
from byhistory.metrics import Metric
from byhistory.profile import ColumnProfile, Kind, from_bytes
from byhistory.profile.arrays import Floats
from byhistory.profile.past import run_key
from byhistory.program.learn import FEW_VALUES
from byhistory.series.cadence import cadence, calendar, fitting, spread_out
from byhistory.series.forecast import RECENT, reach
from byhistory.validator.measures import Measures
from byhistory.verdict import ColumnPast, Past

_LABELS = (RECENT, 4 * RECENT, 35 * RECENT)
_CELLS = 250_000
"""Runs times columns that are remembered at once, half a kilobyte each, where a season wants more than sixty runs."""
GOOD = ("as usual", "backfilled", "learning", "shadow")


def is_good(line: RunLine) -> bool:
    """Whether a run is learned from: judged as usual, or accepted by a person; never if one rejected it.

    A decision on an earlier record of the run is no decision on this one: the data may be others.
    """
    if line.decision is not None and line.decision.at >= line.at:
        return line.decision.what != "reject"
    return line.outcome in GOOD


def _reach(lines: Sequence[RunLine], config: TableConfig) -> int:
    """How many runs are learned from: the user's window, or more where a season is longer than ours.

    The labels of some days or weeks must be seen to tell the seasons of hours; wide tables look less far back.
    """
    if config.learner != "calibrated" or config.window != RECENT:
        return config.window
    labels = [r.run for r in lines[-_LABELS[-1] :]]
    far = max(reach(cadence(labels[-n:]).seasons) for n in _LABELS)
    widest = max((r.columns for r in lines[-RECENT:]), default=1)
    return max(RECENT, min(far, _CELLS // max(1, widest)))


@dataclass(frozen=True, slots=True)
class Memory:
    """The good runs of a table before a given one, oldest first, with their measures.

    `starts` says from which run on a column is remembered, where a person declared a new normal. `places` are those of
    the runs in the calendar, or among all runs, and that of the next run: what is compared with the run a week before
    must not slip by one because a run between was stopped, or never came. `seasons` are the numbers of places after
    which the calendar comes round.
    """

    runs: tuple[RunLine, ...]
    measures: tuple[Measures, ...]
    starts: Mapping[str, str]
    store: Store
    table: str
    places: tuple[int, ...]
    seasons: tuple[int, ...]
    most: int
    """Runs that are remembered at once."""

    @staticmethod
    def of(store: Store, table: str, before: str | None = None, config: TableConfig | None = None) -> Memory:
        """The last good runs before one (or all, if None), as many as the configuration and the calendar want."""
        lines = [r for r in store.runs(table) if before is None or run_key(r.run) < run_key(before)]
        far = _reach(lines, config or TableConfig())
        good = [i for i, r in enumerate(lines) if is_good(r)][-far:]
        fit = set(fitting([r.run for r in lines[good[0] :]])) if good else set()
        lines = [r for r in lines[good[0] :] if r.run in fit] if good else []
        found = calendar([r.run for r in lines], before)
        place = dict(zip((r.run for r in lines), found.places, strict=False))
        good_lines = [r for r in lines if is_good(r)]
        packed = store.measures(table, [r.run for r in good_lines])
        kept = [r for r in good_lines if r.run in packed]
        measures = tuple(Measures.from_bytes(packed[r.run]) for r in kept)
        places = (*(place[r.run] for r in kept), found.places[-1])
        starts = _starts(store.decisions(table), kept)
        return Memory(tuple(kept), measures, starts, store, table, places, found.seasons, far)

    def last_profiles(self, columns: Sequence[str] | None = None) -> dict[str, ColumnProfile]:
        """The profiles of the last good run, which distances are taken to."""
        return self._profiles(self.runs[-1], columns) if self.runs else {}

    def _profiles(self, line: RunLine, columns: Sequence[str] | None) -> dict[str, ColumnProfile]:
        (run,) = self.store.load(self.table, [line.run], columns) or (None,)
        return {} if run is None else {name: from_bytes(data) for name, data in run.columns.items()}

    def with_run(self, line: RunLine, measures: Measures) -> Memory:
        """The same with one more run at the end."""
        runs, measured = (*self.runs, line)[-self.most :], (*self.measures, measures)[-self.most :]
        places = (*self.places, self.places[-1] + 1)[-self.most - 1 :]
        return replace(self, runs=runs, measures=measured, places=places)

    def until(self, end: int, config: TableConfig) -> Memory:
        """The runs before one of them, as they would be remembered then."""
        most = _reach(self.runs[:end], config)
        kept = slice(max(0, end - most), end)
        found = calendar([r.run for r in self.runs[kept]], self.runs[end].run if end < len(self.runs) else None)
        places = found.places if found.is_known else self.places[kept.start : end + 1]  # which count stopped runs, too
        return replace(
            self, runs=self.runs[kept], measures=self.measures[kept], places=places, seasons=found.seasons, most=most
        )

    @property
    def gap(self) -> int:
        """Runs since the last good one."""
        return self.places[-1] - self.places[-2] - 1 if self.runs else 0

    def closed(self) -> Memory:
        """As before the run right after the last good one: what is kept is learned for that, whatever was stopped."""
        return replace(self, places=(*self.places[:-1], self.places[-2] + 1)) if self.runs else self

    def with_gaps(self, series: Floats) -> Floats:
        """The series of the first runs, or of all, with nan where a run between was not good."""
        count = series.shape[1]
        if not count:
            return series
        last = self.places[-1] if count == len(self.runs) else self.places[count - 1] + 1
        return spread_out(series, (*self.places[:count], last))

    def series(self, column: str, metrics: Sequence[Metric], kind: Kind | None = None) -> Floats:
        """What metrics read in each run, a row a metric; nan before a new normal and where the kind was another."""
        names = [m.name for m in metrics]
        table = [
            m.of_column(column, names) if self._counts(i, column, kind) else np.full(len(names), np.nan)
            for i, m in enumerate(self.measures)
        ]
        return np.array(table).reshape(len(table), len(names)).T

    def runs_of(self, column: str, kind: Kind) -> int:
        """How many of the runs had the column, of this kind, since its new normal."""
        return sum(self._counts(i, column, kind) for i in range(len(self.runs)))

    def has(self, column: str) -> bool:
        """Whether some run had a column."""
        return any(column in m.types for m in self.measures)

    def last_with(self, column: str) -> int:
        """The place of the last run that had a column that some run had."""
        return max(i for i, m in enumerate(self.measures) if column in m.types)

    def is_discrete(self, column: str) -> bool:
        """Whether its numbers were whole and few in every run."""
        read = [m.of_column(column, ["integer_ratio", "dist_val_count"]) for m in self.measures if column in m.types]
        return bool(read) and all(whole == 1.0 and 0 < few <= FEW_VALUES for whole, few in read)

    def past(self, wants: Callable[[str], bool] = lambda _: True) -> Past:
        """The runs as a check wants them; a column that the user does not want any more is none that is missing."""
        profiles: dict[str, ColumnProfile] = self.last_profiles()

        def column(name: str) -> ColumnPast:
            if name not in profiles and self.has(name):  # the last run was without it
                profiles.update(self._profiles(self.runs[self.last_with(name)], [name]))
            return ColumnPast(
                profiles.get(name),
                lambda metrics: self.series(name, metrics),
                lambda metrics, runs: self.with_gaps(self.series(name, metrics))[:, -runs:],
            )

        return Past(
            tuple(r.run for r in self.runs),
            tuple(r.rows for r in self.runs),
            tuple({name: type_ for name, type_ in m.types.items() if wants(name)} for m in self.measures),
            column,
        )

    def _counts(self, i: int, column: str, kind: Kind | None) -> bool:
        start = self.starts.get(column) or self.starts.get("")
        late_enough = start is None or run_key(self.runs[i].run) >= run_key(start)
        had = self.measures[i].kinds.get(column)
        return late_enough and had is not None and (kind is None or had is kind)


def _starts(decisions: Sequence[Decision], runs: Sequence[RunLine]) -> dict[str, str]:
    """From which run on each column counts: the latest new normal that is among the runs; "" stands for all columns."""
    there = {r.run for r in runs}
    starts: dict[str, str] = {}
    for decision in decisions:
        if decision.what == "new normal" and decision.run in there:
            for column in decision.columns or ("",):
                if column not in starts or run_key(decision.run) > run_key(starts[column]):
                    starts[column] = decision.run
    return starts
