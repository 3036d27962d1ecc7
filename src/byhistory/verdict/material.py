"""Does what is unusual in a column touch enough rows to stop a run for it?

In a table that never changed, the first change is surprising: one row more than 413 breaks every constant of every
column, and one new value in a column of 920 rows with nine values is a tenth of its values. Both are worth a look, but
no reason to hold a run back. What touches less than one row in a hundred is reported one level lower: as a warning
where it would have been a stop, and for information where it would have been a warning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from byhistory.constraints import Constraint, Level
from byhistory.constraints.constraint import JOINT, MEASURED
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

SHARE = 0.01
"""Share of the rows: what touches fewer does not stop a run (chosen on one half of the tables, ADR 0012)."""
OF_ROWS = 0.05
"""Share by which the number of rows has to move so that whatever is odd in a column counts (a choice, ADR 0024). A list
of 734 systems grew to 751 in seven weeks: what is odd in its columns is still told by comparing their values."""
ODD_ROWS = 2.5
"""More rows than these have to be odd in a column of text (or OF_ROWS of them, where so few are more): two of 96
readings with a new flag are worth a look."""
_LOWER: Mapping[Level, Level] = {"stop": "warn", "warn": "as usual", "as usual": "as usual"}
_PRICED = (JOINT, MEASURED)
"""The bounds of the clauses that this is asked about: not what always stops, nor what a person set."""
_OF_TEXT, _OF_NUMBERS = "l1", "ks_dist"
_SHARES = ("integer_ratio", "nan_ratio", "decimals")
"""Metrics of how numbers are written: numbers that lost their decimal places keep their ranks and their mean."""
COMPARED = ("row_count", "complete_ratio", "mean", "std", "min", "max", *_SHARES)
"""The metrics that are compared with those of the run before."""


def weighed(
    level: Level,
    metric: str,
    kind: Kind,
    reads: Mapping[str, float],
    before: Mapping[str, float],
    *,
    compared: float = math.nan,
) -> Level:
    """The level at which it is reported that a `metric` is unusual, after weighing how many rows that touches.

    `compared` is what the metric read in the run that its clause compares with, nan if there is none: in a table with
    weeks, a Monday with the rows of its Sunday lacks some of those that the Monday before had.

    >>> weighed("stop", "row_count", Kind.NUMERIC, {"row_count": 414.0}, {"row_count": 413.0})
    'warn'
    >>> weighed("stop", "row_count", Kind.NUMERIC, {"row_count": 40.0}, {"row_count": 40.0}, compared=400.0)
    'stop'
    """
    if metric != "row_count":
        return level if is_material(kind, reads, before) else _LOWER[level]
    then = [before.get("row_count", math.nan), *([] if math.isnan(compared) else [compared])]
    hardly = all(abs(reads.get("row_count", math.nan) - rows) < SHARE * rows for rows in then)
    return _LOWER[level] if hardly else level


def is_material(kind: Kind, reads: Mapping[str, float], before: Mapping[str, float]) -> bool:
    """Whether a column differs from the run before in at least `SHARE` of the rows, as far as metrics can tell.

    `reads` is what the metrics of this run read, with the distances from the run before; `before` what those of
    `COMPARED` read there. Numbers also count by how far they moved: one of ten thousand that is a million times too
    large changes the mean. If the number of rows moved by at least `OF_ROWS`, everything counts.

    >>> usual = {"row_count": 413.0, "complete_ratio": 1.0}
    >>> is_material(Kind.CATEGORICAL, {"row_count": 414.0, "complete_ratio": 1.0, "l1": 0.004}, usual)
    False
    >>> is_material(Kind.CATEGORICAL, {"row_count": 414.0, "complete_ratio": 1.0, "l1": 0.07}, usual)
    True
    """
    rows, held = before.get("row_count", math.nan), before.get("complete_ratio", math.nan)
    same_rows = abs(reads.get("row_count", math.nan) - rows) < OF_ROWS * rows
    now = reads.get("complete_ratio", math.nan)
    if not same_rows or not abs(now - held) < SHARE:
        return True
    return max(now, held) >= SHARE and _values_moved(kind, reads, before, max(now, held))


def is_priced(clause: Constraint) -> bool:
    """Whether a clause has a measured price: what always stops, or a person set, stops even for a few rows."""
    return clause.bound in _PRICED and not clause.is_pinned


def last_known(series: Floats) -> Floats:
    """The last value of each row that is not nan; nan if there is none.

    >>> last_known(np.array([[1.0, 2.0, np.nan], [np.nan, np.nan, np.nan]])).tolist()
    [2.0, nan]
    """
    found = [line[np.isfinite(line)] for line in series]
    return np.array([line[-1] if len(line) else math.nan for line in found])


def _values_moved(kind: Kind, reads: Mapping[str, float], before: Mapping[str, float], held: float) -> bool:
    if kind is Kind.CATEGORICAL:
        least = max(SHARE, min(OF_ROWS, ODD_ROWS / max(1.0, before["row_count"])))
        return _share(reads.get(_OF_TEXT, math.nan) / 2.0) * held >= least
    if kind is Kind.NUMERIC:
        return _share(reads.get(_OF_NUMBERS, math.nan)) * held >= SHARE or _numbers_moved(reads, before)
    return True


def _share(distance: float) -> float:
    """The share of the values that differ; all of them where nothing can be compared."""
    return 1.0 if math.isnan(distance) else distance


def _numbers_moved(reads: Mapping[str, float], before: Mapping[str, float]) -> bool:
    """Whether the mean moved by 1 % of the spread, an end by 1 % of the range, or how the numbers are written."""

    def move(metric: str) -> float:
        return abs(reads.get(metric, math.nan) - before.get(metric, math.nan))

    reach = before.get("max", math.nan) - before.get("min", math.nan)
    moves = [(move("mean"), before.get("std", math.nan)), (move("min"), reach), (move("max"), reach)]
    moves += [(move(metric), 1.0) for metric in _SHARES]
    return not all(far == 0.0 or far < SHARE * unit for far, unit in moves)
