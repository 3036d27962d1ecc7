"""Measured prices: which share of good runs, of many columns, was at least as far from its forecast?

A surprise is minus the decimal logarithm of that share: 3 is once in a thousand.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
"""Formats that can be read. The first has no weights: the total is the sum of capped surprises. In the second, a metric
has the same weight above its forecast as below."""
ANY = "*"
"""The name in the key of a curve for metrics without a curve of their own."""
FROM, MOST = 1.0, 3.0
"""A metric adds to the total what its surprise exceeds the first by, and at most the second (ADR 0007)."""
FAR = 8.0
"""The number of spreads beyond which it does not matter how far a metric is off.

The best of 5, 8, 12 and 20 at one good run in a hundred; larger ones let single wild runs set the limit (ADR 0009).
"""
LEAST_MOVE, WHOLE_MOVE = 0.25, 2.0
"""A metric that never moved before is at least the first part of FAR off once it moves, and all of FAR if the change is
at least the second.

The change is on the scale of the metric: relative to its value, or a logarithm of a count or of odds. One more category
among fifty matters less than a column that becomes constant; if both counted the same, the former would set the limit
at one good table-run in a hundred (ADR 0013)."""
_HALFWAY = 4.0
"""The unit of distances in the sum of squares, in spreads (a choice: half of FAR, so that weights are around 1)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The surprises above which a run is stopped, for each of some budgets: of a `single` clause and of the `joint`
    one.

    `budgets` fall. Limits are linear in the logarithm of the budget, and continue beyond the last budget. `measured`
    has the shares of good runs that were stopped at each budget.
    """

    budgets: tuple[float, ...]
    single: tuple[float, ...]
    joint: tuple[float, ...]
    cases: int = 0
    measured: tuple[MeasuredRate, ...] = ()

    def rate(self, budget: float) -> MeasuredRate | None:
        """The share of good runs that was stopped at a budget, with its 95 % interval; None outside of `budgets`."""
        if not self.measured or not self.budgets[-1] <= budget <= self.budgets[0]:
            return None
        low, middle, high = (
            interpolate_one(-math.log10(budget), self._x, part) for part in zip(*self.measured, strict=True)
        )
        return low, middle, high

    def at(self, budget: float) -> tuple[float, float]:
        """The limits of a single clause and of the joint clause for a budget."""
        return interpolate_one(_magnitude(budget), self._x, self.single), self.of_joint(budget)

    def of_joint(self, budget: float) -> float:
        """The limit of the joint clause for a budget."""
        return interpolate_one(_magnitude(budget), self._x, self.joint)

    def budget(self, single: Floats, joint: Floats) -> Floats:
        """The smallest budget at which each run with these surprises is stopped."""
        either = np.maximum(interpolate(single, self.single, self._x), interpolate(joint, self.joint, self._x))
        return np.asarray(10.0 ** -np.maximum(either, 0.0))

    @property
    def _x(self) -> tuple[float, ...]:
        return _magnitudes(self.budgets)


def _magnitude(budget: float) -> float:
    return -math.log10(min(1.0, max(budget, 1e-300)))


@lru_cache(maxsize=64)
def _magnitudes(budgets: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(-math.log10(b) for b in budgets)


def interpolate_one(x: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    """`interpolate` for a single number, ten times as fast: a check of twenty columns asks for hundreds."""
    if not x <= xs[-1]:  # or it is nan
        return ys[-1] + (ys[-1] - ys[-2]) / max(xs[-1] - xs[-2], 1e-12) * (x - xs[-1])
    if x < xs[0]:
        return ys[0] * x / max(xs[0], 1e-12)
    i = bisect_right(xs, x) - 1
    return ys[i] if xs[i] == x else (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i]) * (x - xs[i]) + ys[i]


def interpolate(x: Floats, xs: Sequence[float], ys: Sequence[float]) -> Floats:
    """Linear between knots, along the last piece beyond them, and proportional to `x` before the first."""
    slope = (ys[-1] - ys[-2]) / max(xs[-1] - xs[-2], 1e-12)
    inner = np.interp(x, xs, ys)
    return np.where(
        x > xs[-1], ys[-1] + slope * (x - xs[-1]), np.where(x < xs[0], ys[0] * x / max(xs[0], 1e-12), inner)
    )


@dataclass(frozen=True, slots=True)
class Prices:
    """Curves by kind of column, metric, length of history, whether the metric was constant so far, and side.

    `made` tells people how they were made, and `name` identifies the file that they are from. A metric with too few
    cases has no curve, and uses that of ANY metric.
    """

    curves: Mapping[tuple[str, str, int, bool, int], PriceCurve]
    limits: Mapping[tuple[str, int], Limits]
    histories: tuple[int, ...]
    made: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    weights: Weights | None = None
    """The weights of metrics in the total of a run; None in files of the first format."""
    tables: TablePrices | None = None
    """How the surprises of columns become that of the table; None in files of the first format."""
    leap: float = 0.0
    """What a metric that leaves its whole past behind adds to the total of a run; nothing in older files."""
    _sides: dict[Any, tuple[Curves, Curves]] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The cache of `sides`: all columns of a kind need the same curves."""
    _weighed: dict[Any, Floats] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The cache of `weights_of`."""

    def renewed(self, own: Prices) -> Prices:
        """These prices, but those of `own` for the kinds and lengths of history that it has."""
        kept = {key: curve for key, curve in self.curves.items() if (key[0], key[2]) not in own.limits}
        curves, limits = {**kept, **own.curves}, {**self.limits, **own.limits}
        return replace(self, curves=curves, limits=limits, made=own.made, name="")

    def history(self, runs: int) -> int:
        """The longest measured length of history that is not longer than this one."""
        return max((h for h in self.histories if h <= runs), default=self.histories[0])

    def curve(self, kind: str, metric: str, history: int, is_constant: bool, side: int) -> PriceCurve:
        """The curve of a metric; `side` is 1 above the forecast and -1 below.

        A number of rows that was always the same hardly ever moves. If too few moves were measured to price their size,
        the curve of the nearest length of history is taken: else a table of 200 rows could have 3,000 after 21 runs.
        """
        kind = _PRICED_LIKE.get(kind, kind)
        if metric == _ROWS and is_constant:
            near = sorted(self.histories, key=lambda h: (abs(math.log(h / history)), -h))
            known = (self.curves.get((kind, metric, h, True, side)) for h in near)
            sized = next((c for c in known if c is not None and c.cases >= SIZED_FROM), None)
            if sized is not None:
                return sized
        for name in (metric, ANY):
            found = self.curves.get((kind, name, history, is_constant, side))
            if found is not None:
                return found
        return _UNKNOWN

    def sides(self, kind: str, metrics: Sequence[str], history: int, is_constant: Bools) -> Curves:
        """The curves of every metric, above and below its forecast."""
        key = kind, tuple(metrics), history
        if key not in self._sides:
            self._sides[key] = self._both(*key, is_constant=False), self._both(*key, is_constant=True)
        moving, constant = self._sides[key]
        return moving.chosen(constant, is_constant)

    def _both(self, kind: str, metrics: Sequence[str], history: int, *, is_constant: bool) -> Curves:
        pairs = [[self.curve(kind, metric, history, is_constant, side) for side in (1, -1)] for metric in metrics]
        return Curves.of([(above, below) for above, below in pairs])

    def weights_of(self, kind: str, metrics: Sequence[str]) -> Floats | None:
        """The weights, one row per metric; None if the prices have no weights."""
        if self.weights is None:
            return None
        key = kind, tuple(metrics)
        if key not in self._weighed:
            known = self.weights.get(_PRICED_LIKE.get(kind, kind), {})
            self._weighed[key] = np.array([known.get(m, USUAL_WEIGHT) for m in metrics], np.float64).reshape(-1, 3)
            self._weighed[key].flags.writeable = False  # all columns of a kind share it
        return self._weighed[key]

    def limit(self, kind: str, history: int) -> Limits:
        """The limits for a kind of column at a length of history."""
        return self.limits[_PRICED_LIKE.get(kind, kind), history]


Join = Callable[[Floats], Floats]
"""How the contributions of all metrics (the last axis) become the total of a run."""
Weights = Mapping[str, Mapping[str, tuple[float, float, float]]]
"""By kind and metric, the weights of the squared distance above the forecast, of that below, and of the rarity."""
USUAL_WEIGHT = (0.1, 0.1, 0.1)
"""The weights of a metric that has none of its own, such as a user's: about the median of the others (a choice)."""


def contributions(surprises: Floats, distances: Floats, is_constant: Bools, weights: Floats | None) -> Floats:
    """What each metric (the last axis) adds to the total of a run, given how rare and how far off it is; never below 0.

    `weights` has one row per metric. Without weights, the surprise beyond once in ten is added, up to MOST.

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
    """The weights of a metric from a file; in the second format, that above the forecast is also that below.

    >>> three_weights(0.5, 0.1), three_weights(0.5, 0.2, 0.1)
    ((0.5, 0.5, 0.1), (0.5, 0.2, 0.1))
    """
    above, *below, rare = map(float, weights)
    return (above, *below, rare) if below else (above, above, rare)  # type: ignore[return-value]


def total_surprise(contributions: Floats) -> Floats:
    """The total surprise of a run: the sum of what its metrics contribute."""
    return np.asarray(contributions.sum(axis=-1))


SIZED_FROM = 15
"""Deviations to one side that are needed to price their size, and not only that there is one (a choice)."""
_ROWS = "row_count"
_PRICED_LIKE = {"temporal": "numeric", "binary": "categorical", "nested": "categorical"}
"""Kinds that have no prices of their own, and the kind whose prices they use."""
_UNKNOWN = PriceCurve((1.0, 3.0), (0.3, 2.0), 0.5)
"""The curve if there is nothing at all to go by (a choice): about that of a heavy-tailed metric."""


def to_json(prices: Prices) -> str:
    """Versioned JSON, one line per curve."""
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
        f'"leap": {json.dumps(prices.leap)},\n'
        f'"weights": [\n{_joined(weights)}],\n'
        f'"limits": [\n{_joined(limits)}],\n"curves": [\n{_joined(lines)}]}}\n'
    )


def _joined(lines: list[str]) -> str:
    return ",\n".join(lines) + "\n"


def from_json(text: str) -> Prices:
    """The reverse of `to_json`; text that holds no prices is an error."""
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
        leap = float(body.get("leap", 0.0))
        return Prices(curves, limits, tuple(body["histories"]), body["made"], name, weights or None, tables, leap)
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as why:
        raise ByHistoryError("read prices", f"a file that holds none ({why})", "calibrate again") from why


def limits_of(
    budgets: list[float], single: list[float], joint: list[float], cases: int, measured: Sequence[Sequence[float]] = ()
) -> Limits:
    """Limits from the lists in a file; older files have no `measured` shares."""
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
