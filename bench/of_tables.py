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
from byhistory.learners.calibrated.prices import Prices, contributions, surprises
from byhistory.learners.calibrated.table import TablePrices, share, stand_out
from byhistory.profile.arrays import Bools, Floats, Ints

SAFETY = 0.9
"""The part of the budget that is spent where limits were measured, so that it is kept where they were not."""
LEFT = 0.35
"""What is left at least for surprises of a budget that the rules which always stop have used up."""
BUDGETS = (0.1, 0.05, 0.02, 0.01, 0.005)
_KNOTS = (1.0, 0.5, 0.3, 0.2, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.007, 0.005, 0.003)
"""Shares of good table-runs; beyond the last there are too few to go by, and the surprise goes on as it rose."""


@dataclass(frozen=True)
class TableRuns:
    """Good runs of tables: the surprise of each column (nan: none of that number), padded to the widest table."""

    surprises: Floats
    source: Ints
    table: Ints
    run: Ints
    stops: Bools
    """Whether a rule stops the run whatever the budget."""

    @classmethod
    def of(cls, found: Sequence[Distances], prices: Mapping[int, Prices], windows: int = 30) -> TableRuns:
        """All that the evaluation judges: so many runs of each table, evenly spread, by prices of other sources."""
        cells: dict[tuple[str, int], list[float]] = {}
        stops: set[tuple[str, int]] = set()
        source = {d.table: source_number(d.source) for d in found}
        for d in found:
            if d.set != GOOD or d.history != WINDOW:
                continue
            judged = np.isin(d.run, windows_of(d.runs, windows))
            of_runs = column_surprises(d, prices[source_number(d.source)])
            for run, surprise, is_stopped in zip(d.run[judged], of_runs[judged], d.stops[judged], strict=True):
                cells.setdefault((d.table, int(run)), []).append(float(surprise))
                if is_stopped:
                    stops.add((d.table, int(run)))
        keys = sorted(cells)
        wide = np.full((len(keys), max(map(len, cells.values()))), np.nan)
        for i, key in enumerate(keys):
            wide[i, : len(cells[key])] = cells[key]
        names = {name: i for i, name in enumerate(sorted(source))}
        return cls(
            wide,
            np.array([source[table] for table, _ in keys]),
            np.array([names[table] for table, _ in keys]),
            np.array([run for _, run in keys]),
            np.array([key in stops for key in keys]),
        )

    def some(self, mask: Bools) -> TableRuns:
        """Some of the runs."""
        return replace(self, **{name: getattr(self, name)[mask] for name in self.__dataclass_fields__})


def column_surprises(d: Distances, prices: Prices) -> Floats:
    """How surprising the runs of a column are, as the learner says it."""
    total = CALIBRATED.joined(added_by(d, prices))
    return np.asarray(-np.log10(prices.limit(d.kind, prices.history(d.history)).budget(np.zeros(len(total)), total)))


def added_by(d: Distances, prices: Prices) -> Floats:
    """What each metric adds to the total of the runs of a column."""
    distances = np.asarray(d.distances, np.float64)
    rare = np.zeros(distances.shape)
    history = prices.history(d.history)
    for is_constant in (False, True):
        sides = prices.sides(d.kind, d.metrics, history, np.full(len(d.metrics), is_constant))
        rare = np.where(d.is_constant == is_constant, surprises(sides, distances), rare)
    return contributions(rare, distances, d.is_constant, prices.weights_of(d.kind, d.metrics))


def fit_tables(runs: TableRuns, safety: float = SAFETY) -> TablePrices:
    """What stands out, what is shared, and the larger of the two, each as it is in so many of the good runs.

    What the rules that always stop cost is taken off the budgets first.
    """
    _, at, counts = np.unique(runs.source, return_inverse=True, return_counts=True)
    weight = 1.0 / np.sqrt(counts[at])
    alone, shared = stand_out(runs.surprises), share(runs.surprises)
    surprise = tuple(float(-np.log10(k)) for k in _KNOTS)
    first = TablePrices(surprise, _knots(alone, weight), _knots(shared, weight), surprise)
    larger = first.judge(runs.surprises).surprise
    free, always = ~runs.stops, float(weight[runs.stops].sum() / weight.sum())
    either = _knots(larger[free], weight[free], [max(LEFT * k, safety * k - always) for k in _KNOTS])
    prices = replace(first, either=either, budgets=BUDGETS, runs=len(larger))
    found = prices.judge(runs.surprises).surprise
    hit = np.stack([(found > -np.log10(b)) | runs.stops for b in BUDGETS], axis=1)
    rates = tuple(
        (round(a, 5), round(b, 5), round(c, 5)) for a, b, c in over_sources(hit, np.ones(len(found)), runs.source)
    )
    return replace(prices, measured=rates)


def _knots(values: Floats, weight: Floats, shares: Sequence[float] = _KNOTS) -> tuple[float, ...]:
    """The values that these shares of the runs are at or above, rising."""
    order = np.argsort(-values)
    left = np.cumsum(weight[order]) / weight.sum()
    at = np.interp(shares, left, values[order])
    rising = np.maximum.accumulate(at) + 1e-6 * np.arange(len(at))
    return tuple(round(float(v), 5) for v in rising)
