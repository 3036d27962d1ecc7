"""Runs of tables as the surprises of their columns, and the prices of tables that are fitted to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bench.cases.cases import WINDOW, windows_of
from bench.distances import Distances
from bench.judge import GOOD

from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.fit import over_sources, source_number
from byhistory.learners.calibrated.joint import ROWS
from byhistory.learners.calibrated.leaps import added_by_leaps
from byhistory.learners.calibrated.prices import Prices, contributions
from byhistory.learners.calibrated.table import TablePrices, beyond_others, share, stand_out
from byhistory.profile.arrays import Bools, Floats, Ints

SAFETY = 0.9
"""The part of the budget that is spent where limits were measured, so that it is kept where they were not."""
LEFT = 0.4
"""What is left at least for surprises of a budget that the rules which always stop have used up.

Replayed day by day with 0.45, before leaps counted, 1.16 % of the good runs were stopped (98 tables, 6,649 runs). Each
0.05 is worth some two faults in a hundred, and up to 0.05 % of the good runs (ADR 0025).
"""
WEIGHED_FROM = 0.02
"""Budgets from which on a limit is fitted without what touches hardly a row: of a warning it makes none (ADR 0012).

With smaller ones the same would stop 1.2 and 1.4 % of the good runs of the two corpora within 1 %, not 1.1 and 1.2.
"""
ROWS_COST = float(np.log10(CALIBRATED.safety * CALIBRATED.table_rows_share / 2.0))
"""What being odd on either side is worth to the clause on the rows of a table, for its part of the budget."""
WINDOWS = 30
"""Runs of each table that the evaluation judges."""
BUDGETS = (0.1, 0.05, 0.02, 0.01, 0.005)
"""Of a table, at which the rate is measured: smaller ones are spent by the rules that always stop."""
_NOTHING = -9.0
"""How far a column stands out that does not count: less than any that does."""
_KNOTS = (1.0, 0.5, 0.3, 0.2, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.007, 0.005, 0.003)
"""Shares of good table-runs; beyond the last there are too few to go by, and the surprise goes on as it rose."""


@dataclass(frozen=True)
class TableRuns:
    """Runs of tables, one entry each: what their columns said, padded to the widest table (nan: no such column)."""

    surprises: Floats
    """Of all metrics of each column together."""
    rows: Floats
    """Of the number of rows: stopped within a budget where this is above minus its logarithm."""
    stops: Bools
    """Whether a rule stops the column whatever the budget."""
    is_material: Bools
    """Whether the column touches enough rows to stop the run for what surprises in it; else it warns."""
    source: Ints
    table: Ints
    run: Ints

    @classmethod
    def of(
        cls,
        found: Sequence[Distances],
        prices: Mapping[int, Prices],
        windows: int = WINDOWS,
        history: int = WINDOW,
    ) -> TableRuns:
        """Good runs: this many of each table, evenly spread (0: all), by prices of other sources."""
        good = [d for d in found if d.set == GOOD and d.history == history]
        table = table_numbers(found)
        cells: dict[tuple[int, int], dict[int, tuple[float, ...]]] = {}
        places = column_places(found)
        for d in good:
            judged = np.isin(d.run, windows_of(d.runs, windows, history)) if windows else np.ones(len(d.run), np.bool_)
            parts = (part[judged] for part in (d.run, *say(d, prices[source_number(d.source)])))
            for run, *cell in zip(*parts, strict=True):
                cells.setdefault((table[d.table], int(run)), {})[places[d.table, d.column]] = tuple(map(float, cell))
        keys = sorted(cells)
        wide = np.full((4, len(keys), 1 + max(places.values())), np.nan)
        for i, key in enumerate(keys):
            for place, told in cells[key].items():
                wide[:, i, place] = told
        source = {table[d.table]: source_number(d.source) for d in good}
        return cls(
            wide[0],
            wide[1],
            wide[2] == 1.0,
            wide[3] == 1.0,
            np.array([source[t] for t, _ in keys]),
            np.array([t for t, _ in keys]),
            np.array([run for _, run in keys]),
        )

    def some(self, which: Bools | Ints) -> TableRuns:
        """Some of the runs."""
        return replace(self, **{name: getattr(self, name)[which] for name in self.__dataclass_fields__})

    @property
    def alone(self) -> Floats:
        """How far one column stands out."""
        return stand_out(self.surprises)

    def said(self, *, is_weighed: bool) -> tuple[Floats, Floats]:
        """How far one column stands out, and what is shared if a column that moved as much counts."""
        counts, shared = self._counts(is_weighed=is_weighed), share(self.surprises)
        alone = np.where(counts, beyond_others(self.surprises), _NOTHING).max(axis=1)
        moved = (counts & (self.surprises >= shared[:, None])).any(axis=1)
        return np.asarray(alone), np.where(moved, shared, 0.0)

    def forced(self, budget: float, *, is_weighed: bool) -> Bools:
        """Stopped by a rule, or by the number of rows."""
        rows = np.nan_to_num(self.rows) > -np.log10(budget)
        return np.asarray((self.stops | (rows & self._counts(is_weighed=is_weighed))).any(axis=1))

    def stopped(self, prices: TablePrices, budget: float) -> Bools:
        """As the product stops them within a budget of the table: what touches hardly a row only warns."""
        return self._beyond(prices, budget, is_weighed=True)

    def told(self, prices: TablePrices, budget: float) -> Bools:
        """As the product tells them at all, stopped or not."""
        return self._beyond(prices, budget, is_weighed=False)

    def _beyond(self, prices: TablePrices, budget: float, *, is_weighed: bool) -> Bools:
        of_one, of_all = prices.column_limits(budget)
        shared = share(self.surprises)[:, None]
        moved = (shared > of_all) & (self.surprises >= shared)
        found = ((beyond_others(self.surprises) > of_one) | moved) & self._counts(is_weighed=is_weighed)
        return np.asarray(self.forced(budget, is_weighed=is_weighed) | found.any(axis=1))

    def _counts(self, *, is_weighed: bool) -> Bools:
        """The columns that what surprises in them is told of."""
        return np.asarray(~np.isnan(self.surprises) & (self.is_material | (not is_weighed)))


def table_numbers(found: Sequence[Distances]) -> dict[str, int]:
    """A number for each table."""
    return {name: i for i, name in enumerate(sorted({d.table for d in found}))}


def column_places(found: Sequence[Distances]) -> dict[tuple[str, str], int]:
    """The place of each column in its table."""
    places: dict[tuple[str, str], int] = {}
    count: dict[str, int] = {}
    for d in found:
        if (d.table, d.column) not in places:
            places[d.table, d.column] = count[d.table] = count.get(d.table, -1) + 1
    return places


def say(d: Distances, prices: Prices) -> tuple[Floats, Floats, Bools, Bools]:
    """Of the runs of a column: how surprising all metrics are, and the rows; what a rule stops; what may stop a run."""
    rows = np.zeros(len(d.run))
    if ROWS in d.metrics:
        rows = surprises_by(d, prices)[:, d.metrics.index(ROWS)]
    return column_surprises(d, prices), rows + ROWS_COST, d.stops, d.is_material


def column_surprises(d: Distances, prices: Prices) -> Floats:
    """How surprising the runs of a column are, as the learner says it."""
    total = CALIBRATED.joined(added_by(d, prices))
    return np.asarray(-np.log10(prices.limit(d.kind, prices.history(d.history)).budget(np.zeros(len(total)), total)))


def added_by(d: Distances, prices: Prices) -> Floats:
    """What each metric adds to the total of the runs of a column."""
    far = np.asarray(d.distances, np.float64)
    added = contributions(surprises_by(d, prices), far, d.is_constant, prices.weights_of(d.kind, d.metrics))
    return added + added_by_leaps(d.is_leap, prices.leap)


def surprises_by(d: Distances, prices: Prices) -> Floats:
    """How surprising each metric (columns) of the runs of a column is."""
    far = np.asarray(d.distances, np.float64)
    rare = np.zeros(far.shape)
    history = prices.history(d.history)
    for is_constant in (False, True):
        sides = prices.sides(d.kind, d.metrics, history, np.full(len(d.metrics), is_constant))
        rare = np.where(d.is_constant == is_constant, sides.surprise(far), rare)
    return rare


def fit_tables(runs: TableRuns, safety: float = SAFETY) -> TablePrices:
    """What stands out, what is shared, and the larger of the two, each as it is in this many of the good runs.

    What the rules that always stop cost, and the number of rows, is taken off the budgets first.
    """
    _, at, counts = np.unique(runs.source, return_inverse=True, return_counts=True)
    weight = 1.0 / np.sqrt(counts[at])
    surprise = tuple(float(-np.log10(k)) for k in _KNOTS)
    first = TablePrices(surprise, _knots(runs.alone, weight), _knots(share(runs.surprises), weight), surprise)
    larger = {is_weighed: first.larger(*runs.said(is_weighed=is_weighed)) for is_weighed in (False, True)}
    either: list[float] = []
    for k in _KNOTS:
        is_weighed = k >= WEIGHED_FROM
        free = ~runs.forced(k, is_weighed=is_weighed)
        left = max(LEFT * k, safety * k - float(weight[~free].sum() / weight.sum()))
        either += _knots(larger[is_weighed][free], weight[free], [left])
    rising = np.maximum.accumulate(either) + 1e-5 * np.arange(len(either))
    prices = replace(first, either=tuple(rising.round(5).tolist()), budgets=BUDGETS, runs=len(runs.source))
    hit = np.stack([runs.stopped(prices, b) for b in BUDGETS], axis=1)
    rates = tuple(
        (round(a, 5), round(b, 5), round(c, 5)) for a, b, c in over_sources(hit, np.ones(len(hit)), runs.source)
    )
    return replace(prices, measured=rates)


def _knots(values: Floats, weight: Floats, shares: Sequence[float] = _KNOTS) -> tuple[float, ...]:
    """The values that these shares of the runs are at or above, rising."""
    order = np.argsort(-values)
    left = np.cumsum(weight[order]) / weight.sum()
    at = np.interp(shares, left, values[order])
    rising = np.maximum.accumulate(at) + 1e-6 * np.arange(len(at))
    return tuple(round(float(v), 5) for v in rising)
