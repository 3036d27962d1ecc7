"""The vertical axis of a plot: which values are on it, at which height, and where its ticks are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from byhistory.constraints.words import is_count
from byhistory.profile import Kind
from byhistory.report.story import ClauseStory, MetricLine

_FAR = 3.0
"""A value further from the past values than this many times their range is drawn at the edge of the plot (a choice: at
three the past still fills a quarter of the height)."""
_ALIKE = 1e-6
"""A range smaller than this, relative to the values, counts as no range (a choice: no screen shows it)."""
_MARGIN = 0.08
"""Part of the height left free above and below, so that dots at the ends are whole (a choice)."""
_FEWEST, _MOST_TICKS = 2, 5
"""The fewest and the most ticks of an axis, by choice."""
_TIMES = (60.0, 3_600.0, 21_600.0, 86_400.0, 604_800.0, 2_592_000.0, 31_536_000.0)
"""Steps between ticks of times, in seconds: a minute, an hour, six hours, a day, a week, thirty days, a year."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A map from values to heights in a plot; values beyond it are drawn at its edge.

    `is_off` says that the last value is beyond: drawn to scale, it would press all the others into one line.
    """

    low: float
    high: float
    height: int
    is_off: bool = False

    def y(self, value: float) -> int:
        """Pixels from the top."""
        half = self.high / 2 - self.low / 2  # halves: the distance of two numbers near ±1e308 is out of range
        part = (value / 2 - self.low / 2) / half if math.isfinite(value) else math.copysign(2.0, value)
        room = _MARGIN * self.height
        return round(self.height - room - min(1.0, max(0.0, part)) * (self.height - 2 * room))

    def edge(self, value: float) -> int:
        """The same as `y`, but an open end is at the very edge of the plot."""
        if math.isinf(value) or not self.low <= value <= self.high:
            return 0 if value > self.low else self.height
        return self.y(value)


def scale_of(clause: ClauseStory, height: int) -> Axis:
    """An axis for the metric of a clause, with all past values on it, and anything else that is not far off.

    The interval does not reach beyond what is possible; the ends of a broken clause are on the axis, too.
    """
    low, high = possible(clause)
    ends = [min(max(v, low), high) for v in (*clause.line.lows, *clause.line.highs) if math.isfinite(v)]
    line = clause.line
    past = [v for v, is_learned in zip(line.values[:-1], _learned(line), strict=True) if is_learned]
    found = scaled([*past, *line.values[-1:]], ends, clause.outcome.status == "broken", height)
    found = replace(found, low=max(found.low, low), high=min(found.high, high)) if low < high else found
    if high - low <= 1.0 and found.high - found.low <= _ALIKE:  # shares that never moved, except by rounding
        return replace(found, low=low, high=high)
    return found


def possible(clause: ClauseStory) -> tuple[float, float]:
    """The ends of what the metric can be at all: a share is never above 100 %."""
    return (-math.inf, math.inf) if clause.metric is None else (clause.metric.low, clause.metric.high)


def scaled(values: Sequence[float], ends: Sequence[float], with_ends: bool, height: int) -> Axis:
    """An axis for values, the last of which is the one in question; `ends` are on it if near, or if `with_ends`.

    >>> scaled([1.0, 2.0, 9.0], [0.0, 4.0], True, 100).is_off, scaled([1.0, 2.0, 99.0], [0.0, 4.0], True, 100).is_off
    (False, True)
    """
    past, now = [v for v in values[:-1] if math.isfinite(v)], values[-1] if values else math.nan
    known = past or list(ends) or [now if math.isfinite(now) else 0.0]
    low, high = min(known), max(known)
    near = [e for e in ends if with_ends or _is_flat(low, high) or _is_near(e, low, high)]
    low, high = min([low, *near]), max([high, *near])
    is_off = math.isinf(now) or not (_is_flat(low, high) or _is_near(now, low, high))
    if is_off:  # as much room again, so that it is seen to be far off
        room = (high / 2 - low / 2) * 2
        low, high = (low, high + room) if now > high else (low - room, high)
    elif math.isfinite(now):
        low, high = min(low, now), max(high, now)
    if _is_flat(low, high):
        around = abs(low) * 0.1 or 1.0
        low, high = low - around, high + around
    return Axis(low, high, height, is_off)


def _is_flat(low: float, high: float) -> bool:
    return high / 2 - low / 2 <= _ALIKE * max(abs(low), abs(high))


def _is_near(value: float, low: float, high: float) -> bool:
    reach = (high / 2 - low / 2) * 2 * _FAR
    return math.isnan(value) or low - reach <= value <= high + reach


def ticks(clause: ClauseStory, scale: Axis) -> list[float]:
    """Two to five round values on the axis; for times, those that fall on a day or an hour if it is long enough."""
    room = scale.high - scale.low
    if not math.isfinite(room) or room <= 0:
        return []
    is_time = clause.kind is Kind.TEMPORAL and clause.metric is not None and clause.metric.unit == "value"
    units = [u for u in _TIMES if _FEWEST <= room / u <= _MOST_TICKS] if is_time else []
    step = units[0] if units else _round_step(room)
    step = max(step, 1.0) if is_count(clause.metric) else step
    first = math.ceil(scale.low / step - _ALIKE)
    round_values = [k * step for k in range(first, first + _MOST_TICKS + 1)]
    return [float(f"{t:.12g}") for t in round_values if t <= scale.high + _ALIKE * room]


def _round_step(room: float) -> float:
    """The smallest of 1, 2, 5, 10, … that fits no more than four times."""
    size = 10.0 ** math.floor(math.log10(room / 4))
    return next(size * k for k in (1, 2, 2.5, 5, 10, 20) if room / (size * k) <= 4)


def _learned(line: MetricLine) -> tuple[bool, ...]:
    """Which of the past runs were learned from; others may be far off, and are drawn at the edge of the plot then."""
    return line.learned[:-1] or (True,) * max(0, len(line.values) - 1)
