"""How surprising is a run of a table, given how surprising each of its columns is?

What one column does alone is about that column. What all columns do at once (rows lost, a part of the delivery missing)
is one event of the table, and is judged once. Both are priced on good runs of many tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from byhistory.profile.arrays import Floats

MOST = 4.0
"""The largest surprise of a column that counts in what columns share (a choice: once in ten thousand)."""
_FILLED = 2
"""Imagined usual columns in the average of the others (a choice): one neighbour tells little about what is shared."""
WIDTH = 0.3
"""What is taken off per power of ten of the number of columns: among many, one is surprising by chance.

With 0 tables of 16 to 60 columns are stopped two to four times as often as those of 4 to 15, with 0.8 recall at 5 % of
table-runs falls by eight points (ADR 0009).
"""
SHARED_PART = 0.2
"""The part of all stops that may be for what columns share; one half costs ten points of recall (ADR 0009)."""
_JUST_BELOW = 1.0 - 1e-6
"""A limit is lowered to this part of a surprise, so that the surprise is above it (a choice)."""
_HALVINGS = 60
"""Steps of a bisection, by choice: from 12 powers of ten down to the last digit of a 64-bit number."""

MeasuredRate = tuple[float, float, float]
"""A share of good runs with its 95 % interval by source: low, middle, high."""


@dataclass(frozen=True, slots=True)
class TableSurprise:
    """How surprising runs of a table are (arrays, one entry per run), and why.

    `surprise` is minus the decimal logarithm of how often good runs of tables are as surprising. `column` is the place
    of the column that stands out. `is_shared` says whether it is rather what all columns share that is surprising.
    """

    surprise: Floats
    column: Any
    is_shared: Any


@dataclass(frozen=True, slots=True)
class TablePrices:
    """How rare it is that one column stands out, that columns share a surprise, and that either happens, as knots.

    `measured` has the shares of good table-runs that exceeded the limits at `budgets`, with 95 % intervals by source.
    """

    surprise_at: tuple[float, ...]
    """The surprises of the knots, rising."""
    alone: tuple[float, ...]
    shared: tuple[float, ...]
    either: tuple[float, ...]
    budgets: tuple[float, ...] = ()
    measured: tuple[MeasuredRate, ...] = ()
    runs: int = 0

    def judge(self, surprises: Floats) -> TableSurprise:
        """How surprising each run (a row of `surprises` by column) is; nan stands for a column that is not judged.

        >>> prices = TablePrices((0.0, 3.0), (0.0, 3.0), (0.0, 3.0), (0.0, 3.0))
        >>> one, all_ = prices.judge(np.array([[0.0, 0.2, 3.5]])), prices.judge(np.full((1, 10), 3.0))
        >>> one.column.tolist(), one.is_shared.tolist(), all_.is_shared.tolist()
        ([2], [False], [True])
        """
        of_one, of_all = self._ranked(stand_out(surprises), share(surprises))
        larger = np.maximum(of_one, of_all)
        column = np.where(np.isnan(surprises), -np.inf, surprises).argmax(axis=-1)
        return TableSurprise(
            np.maximum(0.0, _interpolate(larger, self.either, self.surprise_at)), column, of_all > of_one
        )

    def larger(self, alone: Floats, shared: Floats) -> Floats:
        """The larger of two surprises: that of one column that stands out, and that of what is shared."""
        return np.asarray(np.maximum(*self._ranked(alone, shared)))

    def _ranked(self, alone: Floats, shared: Floats) -> tuple[Floats, Floats]:
        of_one = _interpolate(alone, self.alone, self.surprise_at)
        return of_one, _interpolate(shared, self.shared, self.surprise_at) + np.log10(SHARED_PART)

    def limits(self, surprises: Floats, budget: float) -> Floats:
        """The surprise above which each column is stopped within the budget, given how surprising the others are.

        If all columns together move too far, those that moved at least as much as the average are stopped.

        >>> prices = TablePrices((0.0, 3.0), (0.0, 3.0), (0.0, 3.0), (0.0, 3.0))
        >>> prices.limits(np.array([0.0, 0.0, 3.0]), 0.01).round(2).tolist()
        [2.89, 2.89, 2.14]
        """
        of_one, of_all = self.column_limits(budget)
        limits = of_one + np.where(np.isnan(surprises), 0.0, surprises) - beyond_others(surprises)
        shared = float(share(surprises))
        is_stopped = (shared >= of_all) & (surprises >= shared)
        return np.asarray(np.where(is_stopped, np.minimum(limits, surprises * _JUST_BELOW), limits))

    def column_budget(self, budget: float, columns: int) -> float:
        """The budget of each of some columns, if all the others are as usual."""
        return float(min(budget, 10.0 ** -(self.column_limits(budget)[0] + WIDTH * np.log10(max(1, columns)))))

    def table_price(self, column: float, columns: int) -> float:
        """The reverse of `column_budget`: how often a table is stopped whose columns each have this budget."""
        low, high = 1e-12, 1.0
        for _ in range(_HALVINGS):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if self.column_budget(middle, columns) < column else (low, middle)
        return high

    def column_limits(self, budget: float) -> tuple[float, float]:
        """How far one column may stand out, and how far all may move together, within a budget of the table.

        This is nearly the reverse of `judge`.
        """
        surprise = -np.log10(budget)
        beyond = max(0.0, surprise - self.surprise_at[-1])  # a budget below those measured: each column as much rarer
        larger = np.interp(surprise, self.surprise_at, self.either)
        of_one = _interpolate(larger, self.surprise_at, self.alone)
        of_all = _interpolate(larger - np.log10(SHARED_PART), self.surprise_at, self.shared)
        return float(of_one) + beyond, float(of_all) + beyond

    def rate(self, budget: float) -> MeasuredRate | None:
        """The measured share of good table-runs at a budget, with its interval; None outside of `budgets`."""
        if not self.budgets or not min(self.budgets) <= budget <= max(self.budgets):
            return None
        order = np.argsort(self.budgets)
        at = np.log10(np.array(self.budgets)[order])
        low, middle, high = (
            float(np.interp(np.log10(budget), at, np.array(part)[order])) for part in zip(*self.measured, strict=True)
        )
        return low, middle, high


def stand_out(surprises: Floats) -> Floats:
    """How much more surprising the most surprising column is than the average of the others, less what WIDTH takes off.

    >>> stand_out(np.array([[0.0, 0.0, 3.0], [3.0, 3.0, 3.0]])).round(1).tolist()
    [2.9, 1.4]
    """
    return np.asarray(beyond_others(surprises).max(axis=-1, initial=-np.inf))


def beyond_others(surprises: Floats) -> Floats:
    """For every column (the last axis), how much more surprising it is than the average of the others.

    A column that is not judged (nan) counts as usual. WIDTH is taken off for the number of columns.

    >>> beyond_others(np.array([0.0, np.nan, 3.0])).round(1).tolist()
    [-1.1, -1.1, 2.9]
    """
    known = np.where(np.isnan(surprises), 0.0, surprises)
    count = np.maximum(1, (~np.isnan(surprises)).sum(axis=-1, keepdims=True))
    some = np.minimum(known, MOST)
    others = (some.sum(axis=-1, keepdims=True) - some) / (count - 1 + _FILLED)
    return np.asarray(known - others - WIDTH * np.log10(count))


def share(surprises: Floats) -> Floats:
    """The average surprise of the columns, with a few imagined usual ones among them.

    >>> share(np.array([[3.0, 3.0, 3.0]])).round(1).tolist()
    [1.8]
    """
    known = np.where(np.isnan(surprises), 0.0, np.minimum(surprises, MOST))
    count = np.maximum(1, (~np.isnan(surprises)).sum(axis=-1))
    return np.asarray(known.sum(axis=-1) / (count + _FILLED))


def _interpolate(x: Floats, xs: Sequence[float], ys: Sequence[float]) -> Floats:
    """Linear between knots, and along the last piece beyond them."""
    slope = (ys[-1] - ys[-2]) / max(xs[-1] - xs[-2], 1e-9)
    return np.where(x > xs[-1], ys[-1] + slope * (x - xs[-1]), np.interp(x, xs, ys))


_KNOTS = ("surprise_at", "alone", "shared", "either", "budgets")


def to_plain(prices: TablePrices) -> dict[str, Any]:
    """The prices as plain entries for JSON."""
    lists = {name: list(getattr(prices, name)) for name in (*_KNOTS, "measured")}
    return {**lists, "runs": prices.runs}


def from_plain(body: Mapping[str, Any]) -> TablePrices:
    """The reverse of `to_plain`; raises any of Python's own errors for entries that it cannot understand."""
    at, alone, shared, either, budgets = (tuple(map(float, body[name])) for name in _KNOTS)
    measured = tuple((float(a), float(b), float(c)) for a, b, c in body["measured"])
    return TablePrices(at, alone, shared, either, budgets, measured, int(body["runs"]))
