"""Prices that were measured: how many good runs, of many columns, were as far from their forecast as this one.

The surprise of a value is minus the decimal logarithm of that share: 3 is once in a thousand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from byhistory.errors import ByHistoryError
from byhistory.learners.calibrated.curve import NOTHING, PriceCurve
from byhistory.learners.calibrated.curves import Curves
from byhistory.learners.calibrated.table import MeasuredRate, TablePrices, from_plain, to_plain
from byhistory.profile.arrays import Bools, Floats

VERSION = 3
READ = (1, 2, 3)
"""Formats that are read: the first has no weights, and what it prices is the sum of capped surprises; in the second a
metric counts as much above its forecast as below."""
ANY = "*"
"""The family of metrics that have none of their own."""
FROM, MOST = 1.0, 3.0
"""A metric adds to the joint surprise from the first on (once in ten), and never more than the second (ADR 0007)."""
FAR = 8.0
"""Spreads beyond which it does not matter how far a metric is off.

Of 5, 8, 12 and 20 the best at one good run in a hundred; more lets single wild runs set the limit (ADR 0009).
"""
LEAST_MOVE, WHOLE_MOVE = 0.25, 2.0
"""A metric that never moved and now does is at least this part of FAR off, and all of it from this change on.

The change is on the scale of the metric: a share of its value, or powers of e of a count or of odds. One more category
among fifty is no news as large as a column that becomes a constant; counted alike, the limit at one good run of a table
in a hundred is set by the former (ADR 0013).
"""
_HALFWAY = 4.0
"""Spreads that count as one in the sum of squares: half of FAR, so that weights are of the size of 1 (a choice)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """From which surprise on a run is stopped within a budget: by its most surprising clause, or by all together.

    Arrays, budgets falling. Between them the limits go with the logarithm of the budget, beyond the last with the
    slope of the last two. `measured` are the rates of good runs that were stopped at each.
    """

    budgets: tuple[float, ...]
    single: tuple[float, ...]
    joint: tuple[float, ...]
    cases: int = 0
    measured: tuple[MeasuredRate, ...] = ()

    def rate(self, budget: float) -> MeasuredRate | None:
        """The share of good runs that was stopped where the limits were found, and how far it may be off (95 %).

        None for a budget that was not measured.
        """
        if not self.measured or not self.budgets[-1] <= budget <= self.budgets[0]:
            return None
        low, middle, high = (
            interpolate_one(-math.log10(budget), self._x, part) for part in zip(*self.measured, strict=True)
        )
        return low, middle, high

    def at(self, budget: float) -> tuple[float, float]:
        """The limits for one budget."""
        x = -math.log10(min(1.0, max(budget, 1e-300)))
        return interpolate_one(x, self._x, self.single), interpolate_one(x, self._x, self.joint)

    def budget(self, single: Floats, joint: Floats) -> Floats:
        """The smallest budgets at which runs with these surprises are stopped."""
        either = np.maximum(interpolate(single, self.single, self._x), interpolate(joint, self.joint, self._x))
        return np.asarray(10.0 ** -np.maximum(either, 0.0))

    @property
    def _x(self) -> tuple[float, ...]:
        return _magnitudes(self.budgets)


@lru_cache(maxsize=64)
def _magnitudes(budgets: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(-math.log10(b) for b in budgets)


def interpolate_one(x: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    """The same at one place, which is asked for in every column."""
    if x > xs[-1]:
        return ys[-1] + (ys[-1] - ys[-2]) / max(xs[-1] - xs[-2], 1e-12) * (x - xs[-1])
    return ys[0] * x / max(xs[0], 1e-12) if x < xs[0] else float(np.interp(x, xs, ys))


def interpolate(x: Floats, xs: Sequence[float], ys: Sequence[float]) -> Floats:
    """Interpolated, and continued along the last piece; nothing below the first."""
    slope = (ys[-1] - ys[-2]) / max(xs[-1] - xs[-2], 1e-12)
    inner = np.interp(x, xs, ys)
    return np.where(
        x > xs[-1], ys[-1] + slope * (x - xs[-1]), np.where(x < xs[0], ys[0] * x / max(xs[0], 1e-12), inner)
    )


@dataclass(frozen=True, slots=True)
class Prices:
    """Curves by kind of column, metric, length of history, whether the metric was constant so far, and side.

    `made` says from what, for people; `name` tells those of one file from those of another. Families with too few
    cases are not listed, and use that of ANY metric.
    """

    curves: Mapping[tuple[str, str, int, bool, int], PriceCurve]
    limits: Mapping[tuple[str, int], Limits]
    histories: tuple[int, ...]
    made: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    weights: Weights | None = None
    """What metrics count in the total of a run; None in files of the first format."""
    tables: TablePrices | None = None
    """From the surprises of columns to that of the table; None in files of the first format."""
    _sides: dict[Any, tuple[Curves, Curves]] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What `sides` was asked for, as all columns of a kind ask for the same."""

    def renewed(self, own: Prices) -> Prices:
        """These prices with others in place of them for the kinds and lengths of history that those have."""
        kept = {key: curve for key, curve in self.curves.items() if (key[0], key[2]) not in own.limits}
        curves, limits = {**kept, **own.curves}, {**self.limits, **own.limits}
        return Prices(curves, limits, self.histories, own.made, weights=self.weights, tables=self.tables)

    def history(self, runs: int) -> int:
        """The measured length of history that stands for this one: the longest that is not longer."""
        return max((h for h in self.histories if h <= runs), default=self.histories[0])

    def curve(self, kind: str, metric: str, history: int, is_constant: bool, side: int) -> PriceCurve:
        """The curve of a family; `side` is 1 above the forecast and -1 below.

        A number of rows that was always the same hardly ever moves. Where too few did to tell how rare the size of a
        move is, the nearest length of history tells it: else a table of 200 rows could have 3,000 after 21 runs.
        """
        kind = _PRICED_LIKE.get(kind, kind)
        if metric == _ROWS and is_constant:
            near = sorted(self.histories, key=lambda h: (abs(math.log(h / history)), -h))
            told = (self.curves.get((kind, metric, h, True, side)) for h in near)
            sized = next((c for c in told if c is not None and c.cases >= SIZED_FROM), None)
            if sized is not None:
                return sized
        for name in (metric, ANY):
            found = self.curves.get((kind, name, history, is_constant, side))
            if found is not None:
                return found
        return _UNKNOWN

    def sides(self, kind: str, metrics: Sequence[str], history: int, is_constant: Bools) -> Curves:
        """The curves of every metric, above and below."""
        key = kind, tuple(metrics), history
        if key not in self._sides:
            self._sides[key] = self._both(*key, is_constant=False), self._both(*key, is_constant=True)
        moving, constant = self._sides[key]
        return moving.chosen(constant, is_constant)

    def _both(self, kind: str, metrics: Sequence[str], history: int, *, is_constant: bool) -> Curves:
        pairs = [[self.curve(kind, metric, history, is_constant, side) for side in (1, -1)] for metric in metrics]
        return Curves.of([(above, below) for above, below in pairs])

    def weights_of(self, kind: str, metrics: Sequence[str]) -> Floats | None:
        """One row per metric; None where prices have no weights."""
        if self.weights is None:
            return None
        known = self.weights.get(_PRICED_LIKE.get(kind, kind), {})
        return np.array([known.get(m, USUAL_WEIGHT) for m in metrics], np.float64).reshape(-1, 3)

    def limit(self, kind: str, history: int) -> Limits:
        """When a run of a kind of column is stopped."""
        return self.limits[_PRICED_LIKE.get(kind, kind), history]


Join = Callable[[Floats], Floats]
"""From what all metrics (the last axis) contribute to the total of the run."""
Weights = Mapping[str, Mapping[str, tuple[float, float, float]]]
"""By kind and metric: how much it counts how far the metric is above its forecast, how far below, and how rare that is.
"""
USUAL_WEIGHT = (0.1, 0.1, 0.1)
"""What a metric counts that has no weight of its own, one of the user's for example: about the median of the others."""


def contributions(surprises: Floats, distances: Floats, is_constant: Bools, weights: Floats | None) -> Floats:
    """What each metric (the last axis) adds to the total of a run, from how rare and how far off it is; never below 0.

    `weights` has one row per metric; without any, what each is beyond once in ten is added, up to its share.

    >>> one, none = np.array([2.0, 0.0]), np.array([False, True])
    >>> contributions(one, np.array([-8.0, 0.0]), none, np.array([[9.0, 0.5, 1.0]] * 2))
    array([2.5, 0. ])
    """
    rare = np.clip(surprises - FROM, 0.0, MOST)
    if weights is None:
        return np.asarray(rare)
    with np.errstate(invalid="ignore"):
        size = np.abs(distances)
        moved = FAR * (LEAST_MOVE + (1.0 - LEAST_MOVE) * np.minimum(1.0, size / WHOLE_MOVE))
        far = np.where(is_constant, np.where(size > NOTHING, moved, 0.0), np.minimum(size, FAR))
        far = np.where(np.isfinite(distances), far / _HALFWAY, 0.0)
        by_side = np.where(distances > 0.0, weights[:, 0], weights[:, 1])
    return np.asarray(by_side * far**2 + weights[:, 2] * rare**2 / 2.0)


def three_weights(*weights: float) -> tuple[float, float, float]:
    """What a metric counts; in the second format, as much above its forecast as below.

    >>> three_weights(0.5, 0.1), three_weights(0.5, 0.2, 0.1)
    ((0.5, 0.5, 0.1), (0.5, 0.2, 0.1))
    """
    above, *below, rare = map(float, weights)
    return (above, *below, rare) if below else (above, above, rare)  # type: ignore[return-value]


def total_surprise(contributions: Floats) -> Floats:
    """How surprising all metrics of a run are together."""
    return np.asarray(contributions.sum(axis=-1))


SIZED_FROM = 15
"""Deviations on one side from which on their size is priced, not only that there is one (a choice, not measured)."""
_ROWS = "row_count"
_PRICED_LIKE = {"temporal": "numeric", "binary": "categorical", "nested": "categorical"}
"""Kinds that were not measured, and whose prices they use."""
_UNKNOWN = PriceCurve((1.0, 3.0), (0.3, 2.0), 0.5)
"""Where there is nothing at all to go by: about what a heavy-tailed metric does."""


def to_json(prices: Prices) -> str:
    """Versioned JSON, one line per family."""
    lines = [
        json.dumps([*key, list(c.distance_at), list(c.surprise_at), c.slowness, c.cases, c.doubt])
        for key, c in sorted(prices.curves.items())
    ]
    limits = [
        json.dumps([*key, *map(list, (b.budgets, b.single, b.joint)), b.cases, b.measured])
        for key, b in prices.limits.items()
    ]
    weights = [
        json.dumps([kind, metric, *each])
        for kind, of in sorted((prices.weights or {}).items())
        for metric, each in sorted(of.items())
    ]
    return (
        f'{{"byhistory_prices": {1 if prices.weights is None else VERSION},\n'
        f'"made": {json.dumps(dict(prices.made))},\n"histories": {json.dumps(prices.histories)},\n'
        f'"tables": {json.dumps(None if prices.tables is None else to_plain(prices.tables))},\n'
        f'"weights": [\n{_joined(weights)}],\n'
        f'"limits": [\n{_joined(limits)}],\n"curves": [\n{_joined(lines)}]}}\n'
    )


def _joined(lines: list[str]) -> str:
    return ",\n".join(lines) + "\n"


def from_json(text: str) -> Prices:
    """The prices back; a clear error for a file that holds none."""
    try:
        body = json.loads(text)
        version = body["byhistory_prices"]
        if version not in READ:
            found = f"format {version}, not {' or '.join(map(str, READ))}"
            raise ByHistoryError("read prices", found, "upgrade byhistory, or calibrate again")
        curves = {
            (k, m, int(h), bool(s), int(side)): PriceCurve(tuple(a), tuple(p), float(slow), int(n), *doubt)
            for k, m, h, s, side, a, p, slow, n, *doubt in body["curves"]
        }
        limits = {(kind, int(history)): limits_of(*lists) for kind, history, *lists in body["limits"]}
        weights: dict[str, dict[str, tuple[float, float, float]]] = {}
        for kind, metric, *of in body["weights"] if version > 1 else ():
            weights.setdefault(kind, {})[metric] = three_weights(*of)
        of_tables = body.get("tables")
        tables = None if of_tables is None else from_plain(of_tables)
        name = sha256(text.encode()).hexdigest()[:12]
        return Prices(curves, limits, tuple(body["histories"]), body["made"], name, weights or None, tables)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as why:
        raise ByHistoryError("read prices", f"a file that holds none ({why})", "calibrate again") from why


def limits_of(
    budgets: list[float], single: list[float], joint: list[float], cases: int, measured: Sequence[Sequence[float]] = ()
) -> Limits:
    """Limits from the lists of a file; older ones do not say what was measured."""
    rates = tuple((float(low), float(middle), float(high)) for low, middle, high in measured)
    return Limits(tuple(budgets), tuple(single), tuple(joint), int(cases), rates)


def prices_at(path: str) -> Prices:
    """The prices in a file, or those that come with the package if none is named."""
    if not path:
        return shipped()
    try:
        return _parsed(Path(path).read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as why:
        found = f"{type(why).__name__}"
        raise ByHistoryError(f"read the prices {path}", found, "write them with `byhistory calibrate`") from why


_parsed = lru_cache(maxsize=4)(from_json)


@cache
def shipped() -> Prices:
    """The prices that come with the package."""
    return from_json(files("byhistory.learners.calibrated").joinpath(f"v{VERSION}.json").read_text("utf-8"))
