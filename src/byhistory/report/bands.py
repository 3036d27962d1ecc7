"""What was usual on each day of the past: the interval of today's clause, as it would have been then.

A learned interval is so many spreads around a forecast. Both are worked out anew for every past run from the runs
before it alone, for all clauses of a page at once; how many spreads is taken from today. So a trend or a season has a
band that goes along with it, and a young table one that was wide at first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from byhistory.constraints.constraint import JOINT, MEASURED
from byhistory.learners.calibrated.forecast import Forecasts, forecast, scales_for, stabilise, unstabilise
from byhistory.profile.arrays import Bools, Floats
from byhistory.report.story import ClauseStory, ColumnStory, MetricLine, Story
from byhistory.series.cadence import calendar, spread_out

NEEDED = 7
"""Past runs from which on there is a band: as many as it takes to judge a column."""


def with_bands(story: Story, drawn: Sequence[str]) -> Story:
    """The story with the bands of some columns as they were on each day; those of thresholds and constants stay."""
    columns = [c for c in story.columns if c.name in set(drawn)]
    clauses = [clause for column in columns for clause in _all(column) if _is_learned(clause)]
    lines: dict[int, MetricLine] = {}
    for _, alike in groupby(sorted(clauses, key=lambda c: c.line.runs), key=lambda c: c.line.runs):
        group = list(alike)
        lines |= zip(map(id, group), _replayed(group, story), strict=True)
    kept = (_with_lines(column, lines) for column in story.columns)
    return replace(story, columns=tuple(kept))


def _with_lines(column: ColumnStory, lines: dict[int, MetricLine]) -> ColumnStory:
    if not any(id(clause) in lines for clause in _all(column)):
        return column
    drawn = [replace(c, line=lines[id(c)]) if id(c) in lines else c for c in _all(column)]
    has_overview = column.overview is not None
    clauses = tuple(drawn[:-1] if has_overview else drawn)
    return replace(column, clauses=clauses, overview=drawn[-1] if has_overview else None)


def _all(column: ColumnStory) -> list[ClauseStory]:
    """The clauses, and the overview last if there is one."""
    return [*column.clauses, *([column.overview] if column.overview is not None else [])]


def _is_learned(clause: ClauseStory) -> bool:
    """Whether the interval comes from a forecast, and there is a past to draw."""
    is_priced = clause.outcome.constraint.bound in (MEASURED, JOINT) and clause.metric is not None
    return is_priced and not clause.outcome.constraint.is_pinned and len(clause.line.runs) > NEEDED


@dataclass(frozen=True, slots=True)
class _Reach:
    """How far today's intervals reach on the scale of the forecast, below and above, in spreads."""

    below: Floats
    above: Floats
    is_constant: Bools

    @staticmethod
    def of(clauses: Sequence[ClauseStory], now: Forecasts) -> _Reach:
        ends = np.array([[c.outcome.low, c.outcome.high] for c in clauses])
        with np.errstate(all="ignore"):
            on_scale = stabilise(ends.T, now.scale, now.size)
            below, above = (now.centre - on_scale[0]) / now.spread, (on_scale[1] - now.centre) / now.spread
        return _Reach(
            np.where(np.isinf(ends[:, 0]), np.inf, below),
            np.where(np.isinf(ends[:, 1]), np.inf, above),
            now.is_constant,
        )

    def ends(self, then: Forecasts) -> tuple[Floats, Floats]:
        """The intervals on another day; of a metric that had never changed until then, that one value."""
        was_constant = then.is_constant & ~self.is_constant
        with np.errstate(all="ignore"):
            spread = np.where(was_constant, 0.0, then.spread)
            low = unstabilise(
                then.centre - np.where(np.isinf(self.below), 0.0, self.below) * spread, then.scale, then.size
            )
            high = unstabilise(
                then.centre + np.where(np.isinf(self.above), 0.0, self.above) * spread, then.scale, then.size
            )
        return np.where(np.isinf(self.below), -np.inf, low), np.where(np.isinf(self.above), np.inf, high)


def _replayed(clauses: Sequence[ClauseStory], story: Story) -> list[MetricLine]:
    runs = clauses[0].line.runs
    found = calendar(runs[:-1], runs[-1])
    series = np.array([np.where(_learned(c.line), c.line.values[:-1], np.nan) for c in clauses])
    laid = spread_out(series, found.places)
    metrics = [c.metric for c in clauses if c.metric is not None]
    scales = scales_for(laid, [m.scale for m in metrics])
    usual_rows = float(np.median(story.past_rows)) if story.past_rows else 1.0

    def expected(end: int) -> Forecasts:
        past = laid[:, :end]
        return forecast(past, scales, np.full(past.shape[1], usual_rows), np.zeros(len(clauses)), found.seasons)

    reach = _Reach.of(clauses, expected(laid.shape[1]))
    lows, highs = np.full(series.shape, np.nan), np.full(series.shape, np.nan)
    for run, place in enumerate(found.places[:-1]):
        enough = np.isfinite(laid[:, : place - found.places[0]]).sum(axis=1) >= NEEDED
        if enough.any():
            low, high = reach.ends(expected(place - found.places[0]))
            lows[:, run], highs[:, run] = np.where(enough, low, np.nan), np.where(enough, high, np.nan)
    return [_line(clause, low, high) for clause, low, high in zip(clauses, lows, highs, strict=True)]


def _learned(line: MetricLine) -> Bools:
    known = line.learned[:-1] if len(line.learned) == len(line.runs) else (True,) * (len(line.runs) - 1)
    return np.array(known, np.bool_)


def _line(clause: ClauseStory, lows: Floats, highs: Floats) -> MetricLine:
    low, high = clause.outcome.low, clause.outcome.high
    if math.isnan(low) or math.isnan(high):
        return clause.line
    return replace(clause.line, lows=(*lows.tolist(), low), highs=(*highs.tolist(), high))
