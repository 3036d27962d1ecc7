"""What a store remembers of a table, as the learner and the check want it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import cast

import numpy as np

from byhistory.alarms import ROWS, Alarm, Entry, Lessons
from byhistory.config import TableConfig
from byhistory.history import Decision, RunLine, Store, runs_before
from byhistory.learners import NEEDED_RUNS, Learner, Program, by_name
from byhistory.learners.learn import FEW_VALUES
from byhistory.metrics import Measures, Metric, Pair, not_of_kind, over_runs
from byhistory.profile import ColumnProfile, Kind, from_bytes
from byhistory.profile.arrays import Floats
from byhistory.series.cadence import calendar, fitting, spread_out
from byhistory.series.level import onto_new_level
from byhistory.series.role import LOOKED_AT, ROLE_METRICS, Role, meaningless, role_of
from byhistory.validator.learnable import is_good
from byhistory.validator.ledger import alarms_of, entry, ledger, lessons_of
from byhistory.verdict import ColumnPast, Past

_WANTED, _LISTED = 2_100, 2_500
"""The most runs that a learner looks at (its labels of 35 times 60 tell the season of hours), and how many are listed
to have them: a check would wait for a list of all."""
_ROWS_METRIC = "row_count"
_LEFT_OUT = 30
"""Runs in a row that a column may be left out and still be forecast for its day: half of the window, by choice."""


def recent_lines(store: Store, table: str, run: str | None = None, window: int = 0) -> list[RunLine]:
    """The last runs of a table, as many as any calendar wants; all, if the run is further back or too few are good."""
    if window > _WANTED:
        return store.runs(table)
    lines = store.runs(table, last=_LISTED)
    if len(lines) < _LISTED:
        return lines
    before = lines if run is None else runs_before(lines, run)
    return lines if sum(map(is_good, before)) >= _WANTED else store.runs(table)


def _reach(lines: Sequence[RunLine], config: TableConfig, learner: Learner | None = None) -> int:
    """How many runs are learned from: the user's window, or what the learner makes of it."""
    widest = max((r.columns for r in lines[-config.window :]), default=1)
    return (learner or by_name(config.learner)).window(config.window, [r.run for r in lines], widest)


@dataclass(frozen=True, slots=True)
class Memory:
    """The good runs of a table before a given one, oldest first, with their measures.

    `lessons` say which columns of which run are left out, and where a new level begins. `places` are those of
    the runs in the calendar, or among all runs, and that of the next run: what is compared with the run a week before
    must not slip by one because a run between was stopped, or never came. `seasons` are the numbers of places after
    which the calendar comes round.
    """

    runs: tuple[RunLine, ...]
    measures: tuple[Measures, ...]
    entries: tuple[Entry, ...]
    lessons: Lessons
    config: TableConfig
    store: Store
    table: str
    places: tuple[int, ...]
    seasons: tuple[int, ...]
    most: int
    """Runs that are remembered at once."""
    wanted: int
    """Runs that a column is to be judged by, if there are as many: of those remembered, some may be left out."""
    returned: tuple[str, ...] = ()
    """Columns (`ROWS` for the number of rows) at their level before one that nobody has confirmed."""

    @staticmethod
    def of(
        store: Store,
        table: str,
        before: str | None = None,
        config: TableConfig | None = None,
        learner: Learner | None = None,
        *,
        lines: Sequence[RunLine] | None = None,
        returned: Collection[str] | None = None,
    ) -> Memory:
        """The last good runs before one (or all, if None), as many as the configuration and the calendar want.

        Columns that have `returned` are judged as before a new level that nobody has confirmed; as the last run, if
        None.
        """
        config = config or TableConfig()
        if lines is None:
            lines = recent_lines(store, table, before, config.window)
        lines = lines if before is None else runs_before(lines, before)
        entries = ledger(lines, store.decisions(table))
        if returned is None:
            alarms = alarms_of(entries, config)
            returned = {column for a in alarms if a.state == "adapted" for column in a.away}
        back = tuple(sorted(returned))
        lessons = lessons_of(entries, config, back)
        wanted = _reach(lines, config, learner)
        good = [i for i, r in enumerate(lines) if lessons.uses_any(r.run)]
        far = _with_left_out([lines[i].run for i in good], lessons, wanted)
        good = good[-far:]
        fit = set(fitting([r.run for r in lines[good[0] :]])) if good else set()
        lines = [r for r in lines[good[0] :] if r.run in fit] if good else []
        found = calendar([r.run for r in lines], before)
        place = dict(zip((r.run for r in lines), found.places, strict=False))
        good_lines = [r for r in lines if lessons.uses_any(r.run)]
        packed = store.measures(table, [r.run for r in good_lines])
        kept = [r for r in good_lines if r.run in packed]
        measures = tuple(Measures.from_bytes(packed[r.run]) for r in kept)
        places = (*(place[r.run] for r in kept), found.places[-1])
        seasons = found.seasons
        about = (entries, lessons, config, store, table, places, seasons, far, wanted, back)
        return Memory(tuple(kept), measures, *about)

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns of the table with their types, as of the last run in which nothing was left out."""
        whole = (m for r, m in zip(reversed(self.runs), reversed(self.measures), strict=True) if self._is_whole(r))
        return next(whole, self.measures[-1]).types if self.measures else {}

    def _is_whole(self, line: RunLine) -> bool:
        return line.run not in self.lessons.left_out

    def last_profiles(self) -> dict[str, ColumnProfile]:
        """The profiles that distances are taken to: each column as of the last run in which it was as usual."""
        if not self.runs:
            return {}
        last = self.runs[-1]
        found = self._profiles(last, None)
        return {name: p for name, p in found.items() if self.lessons.uses(last.run, name)}

    def _profiles(self, line: RunLine, columns: Sequence[str] | None) -> dict[str, ColumnProfile]:
        (run,) = self.store.load(self.table, [line.run], columns) or (None,)
        return {} if run is None else {name: from_bytes(data) for name, data in run.columns.items()}

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """The alarms of the table up to here."""
        return alarms_of(self.entries, self.config)

    def with_run(self, line: RunLine, measures: Measures, decisions: Sequence[Decision] = ()) -> Memory:
        """The same with one more run at the end, as far as it is learned from."""
        entries = (*self.entries, entry(line, decisions))
        lessons = lessons_of(entries, self.config, self.returned)
        if not lessons.uses_any(line.run):
            return replace(self, entries=entries, lessons=lessons)
        runs, measured = (*self.runs, line)[-self.most :], (*self.measures, measures)[-self.most :]
        places = (*self.places, self.places[-1] + 1)[-self.most - 1 :]
        return replace(self, runs=runs, measures=measured, places=places, entries=entries, lessons=lessons)

    def until(self, end: int, config: TableConfig, learner: Learner | None = None) -> Memory:
        """The runs before one of them, as they would be remembered then."""
        most = _reach(self.runs[:end], config, learner)
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
        """What metrics read in each run, one row per metric, on the level that holds now.

        It is nan where the run did not have the column or had it as another kind, and where it was left out.
        """
        return self._levelled(self._read(column, metrics, kind), column, metrics)

    def _read(self, column: str, metrics: Sequence[Metric], kind: Kind | None = None) -> Floats:
        names = [m.name for m in metrics]
        found = over_runs(self.measures, column, names)
        found[:, not_of_kind(self.measures, column, kind)] = np.nan
        if self.lessons.uses_all:
            return found
        is_rows = np.array([name == _ROWS_METRIC for name in names], np.bool_)
        for place, of in ((column, ~is_rows), (ROWS, is_rows)):  # rows may be as usual where the column is not
            found[np.ix_(of, np.array(self._left_out(place), np.int64))] = np.nan
        return found

    def as_read(self, column: str, metrics: Sequence[Metric]) -> Floats:
        """What metrics really read, for what goes by what never was: since the last new level, once that has runs.

        Rain that falls for the first time is a new level; that it has stopped is no column that was never zero.
        """
        found = self._read(column, metrics)
        if not self.lessons.levels:
            return found
        at = {r.run: i for i, r in enumerate(self.runs)}
        for place, of_rows in ((column, False), (ROWS, True)):
            begins = [at[level[0]] for level in self.lessons.levels_of(place) if level[0] in at]
            if begins and len(self.runs) - max(begins) >= NEEDED_RUNS:
                of = [(m.name == _ROWS_METRIC) == of_rows for m in metrics]
                found[of, : max(begins)] = np.nan
        return found

    def _levelled(self, series: Floats, column: str, metrics: Sequence[Metric]) -> Floats:
        """The series with what was before a new level moved onto it, and without distances to the old level."""
        if not self.lessons.levels:
            return series
        at = {r.run: i for i, r in enumerate(self.runs)}
        is_rows = np.array([m.name == _ROWS_METRIC for m in metrics], np.bool_)
        for place, of_rows in ((column, False), (ROWS, True)):
            for level in self.lessons.levels_of(place):
                there = [at[run] for run in level if run in at]
                if not there or level[0] not in at:
                    continue
                moved = onto_new_level(series, [_scale(m) for m in metrics], there[0], self.runs[there[0]].rows)
                moved[np.ix_([isinstance(m, Pair) for m in metrics], there)] = np.nan
                series = np.where((is_rows == of_rows)[:, None], moved, series)
        return series

    def compared_with(self, program: Program, metrics: Sequence[Metric]) -> dict[str, Floats]:
        """The past of the metrics whose change a program judges, laid out as the calendar says."""
        lagged = {c.metric for c in program.clauses if c.transform.lag}
        wanted = [m for m in metrics if m.name in lagged]
        if not wanted:
            return {}
        return dict(zip((m.name for m in wanted), self.with_gaps(self.series(program.column, wanted)), strict=True))

    def runs_of(self, column: str, kind: Kind) -> int:
        """How many of the runs had the column, of this kind, since its new normal."""
        return len(self.runs) - len(self._uncounted(column, kind))

    def is_back(self, column: str) -> bool:
        """Whether the last run is learned from again, or begins a level, after the run before it was not."""
        if len(self.entries) < 2:
            return False
        before, last = (entry.run for entry in self.entries[-2:])
        levels = self.lessons.levels_of(column)
        is_new = bool(levels) and levels[-1][-1] in (before, last)
        return self.lessons.uses(last, column) and (is_new or not self.lessons.uses(before, column))

    def has(self, column: str) -> bool:
        """Whether some run had a column."""
        return any(column in m.types for m in self.measures)

    def learned_until(self, column: str) -> int:
        """The place of the last run whose next one is forecast: the last that had the column, as usual there or not.

        Where it was left out for long, what is known would be too far back: then the last in which it was as usual.
        """
        last = next(i for i in reversed(range(len(self.measures))) if column in self.measures[i].types)
        usual = self.last_with(column)
        return last if last - usual <= _LEFT_OUT else usual

    def last_with(self, column: str) -> int:
        """The place of the last run that had a column that some run had, as usual if it ever was."""
        last = (i for i in reversed(range(len(self.runs))) if column in self.measures[i].types)
        had = list(islice(last, 1)) if self.lessons.uses_all else list(last)
        return next((i for i in had if self.lessons.uses(self.runs[i].run, column)), had[0])

    def is_discrete(self, column: str) -> bool:
        """Whether its numbers were whole and few in every run."""
        reads = over_runs(self.measures, column, ["integer_ratio", "dist_val_count"])
        whole, few = np.delete(reads, not_of_kind(self.measures, column, None), axis=1)
        return bool(len(few)) and bool(((whole == 1.0) & (few > 0) & (few <= FEW_VALUES)).all())

    def role(self, column: str, kind: Kind) -> Role:
        """What a column is for: as the user says, or as its last runs tell."""
        own = self.config.columns.get(column)
        if own is not None and own.role is not None:
            return cast(Role, own.role)
        reads = over_runs(self.measures[-LOOKED_AT:], column, ROLE_METRICS)
        return role_of(column, kind, dict(zip(ROLE_METRICS, reads, strict=True)))

    def meaningless(self, column: str) -> tuple[str, ...]:
        """The metrics that say nothing of a column, where the user said what it is for."""
        own = self.config.columns.get(column)
        return () if own is None else meaningless(own.role)

    def past(self, wants: Callable[[str], bool] = lambda _: True) -> Past:
        """The runs as a check wants them; a column that the user does not want any more is none that is missing."""
        profiles: dict[str, ColumnProfile] = self.last_profiles()

        def column(name: str) -> ColumnPast:
            if name not in profiles and self.has(name):  # the last run was without it, or unusual there
                profiles.update(self._profiles(self.runs[self.last_with(name)], [name]))
            return ColumnPast(
                profiles.get(name),
                lambda metrics: self.series(name, metrics),
                lambda metrics, runs: self.with_gaps(self.series(name, metrics))[:, -runs:],
                lambda metrics: self.as_read(name, metrics),
            )

        return Past(
            tuple(r.run for r in self.runs),
            tuple(r.rows for r in self.runs),
            tuple(
                {name: type_ for name, type_ in m.types.items() if wants(name)}
                for r, m in zip(self.runs, self.measures, strict=True)
                if self._is_whole(r)
            ),
            column,
        )

    def _uncounted(self, column: str, kind: Kind | None) -> list[int]:
        """The places of the runs that say nothing of a column: they had none, or of another kind, or it is left out."""
        return sorted({*not_of_kind(self.measures, column, kind), *self._left_out(column)})

    def _left_out(self, column: str) -> list[int]:
        """The places of the runs in which it is not learned from."""
        if self.lessons.uses_all:
            return []
        return [i for i, r in enumerate(self.runs) if not self.lessons.uses(r.run, column)]


def _with_left_out(runs: Sequence[str], lessons: Lessons, far: int) -> int:
    """How many of the last runs to look at so that a column that was left out for long has as many as the others."""
    wanted = far
    while True:
        left_out = Counter(column for run in runs[-wanted:] for column in lessons.left_out.get(run, ()))
        more = far + max(left_out.values(), default=0)
        if more <= wanted or wanted >= len(runs):
            return wanted
        wanted = more


def _scale(metric: Metric) -> str:
    """How a metric is moved onto a new level; a distance between two runs is not."""
    return "distance" if isinstance(metric, Pair) else metric.scale
