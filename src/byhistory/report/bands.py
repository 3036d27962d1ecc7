"""What was usual in each past run: the interval of today's clause, as it would have been then.

Only the learner that set an interval knows how it would have set it earlier, so it is asked, once for all clauses of a
page that have the same past. The band then follows a trend or a season, and begins wide for a young table. If a learner
draws no bands, today's interval is shown for every run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from byhistory.constraints.constraint import JOINT, MEASURED
from byhistory.learners import NEEDED_RUNS
from byhistory.learners.base import DrawsBands
from byhistory.profile.arrays import Bools, Floats
from byhistory.report.story import ClauseStory, ColumnStory, MetricLine, Story
from byhistory.series.cadence import calendar, spread_out


def with_bands(story: Story, drawn: Sequence[str]) -> Story:
    """The story with the bands of some columns as they were in each run; those of thresholds and constants stay."""
    learned: list[tuple[DrawsBands, ClauseStory]] = []
    for column in story.columns:
        if column.name in drawn and column.bands is not None:
            learned += [(column.bands, clause) for clause in _all(column) if _is_learned(clause)]
    lines: dict[int, MetricLine] = {}
    for _, group in groupby(sorted(learned, key=_alike), key=_alike):
        learners, clauses = zip(*group, strict=True)
        lines |= zip(map(id, clauses), _replayed(clauses, learners[0], story), strict=True)
    kept = (_with_lines(column, lines) for column in story.columns)
    return replace(story, columns=tuple(kept))


def _alike(learned: tuple[DrawsBands, ClauseStory]) -> tuple[int, tuple[str, ...]]:
    """What clauses that are computed at once have in common: their learner, and the runs of their past."""
    learner, clause = learned
    return id(learner), clause.line.runs


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
    return is_priced and not clause.outcome.constraint.is_pinned and len(clause.line.runs) > NEEDED_RUNS


def _replayed(clauses: Sequence[ClauseStory], learner: DrawsBands, story: Story) -> list[MetricLine]:
    runs = clauses[0].line.runs
    found = calendar(runs[:-1], runs[-1])
    series = np.array([np.where(_learned(c.line), c.line.values[:-1], np.nan) for c in clauses])
    lows, highs = learner.past_limits(
        [c.metric for c in clauses if c.metric is not None],
        spread_out(series, found.places),
        np.array([[c.outcome.low, c.outcome.high] for c in clauses]),
        [place - found.places[0] for place in found.places[:-1]],
        rows=float(np.median(story.past_rows)) if story.past_rows else 1.0,
        seasons=found.seasons,
    )
    return [_line(clause, low, high) for clause, low, high in zip(clauses, lows, highs, strict=True)]


def _learned(line: MetricLine) -> Bools:
    known = line.learned[:-1] if len(line.learned) == len(line.runs) else (True,) * (len(line.runs) - 1)
    return np.array(known, np.bool_)


def _line(clause: ClauseStory, lows: Floats, highs: Floats) -> MetricLine:
    low, high = clause.outcome.low, clause.outcome.high
    if math.isnan(low) or math.isnan(high):
        return clause.line
    return replace(clause.line, lows=(*lows.tolist(), low), highs=(*highs.tolist(), high))
