"""From two runs and an alarm to an answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from byhistory.profile import ColumnProfile
from byhistory.profile.arrays import Floats, Ints
from byhistory.rows.field import Options
from byhistory.why.answer import Answer, Kind, Segment
from byhistory.why.change import Change, Moved, change, reweighted
from byhistory.why.features import Feature, features
from byhistory.why.locate import Located, Sides, by_value, changes
from byhistory.why.shift import Shifted, by_rows
from byhistory.why.stand_in import profile_views
from byhistory.why.twice import twice
from byhistory.why.views import MISSING, NEW
from byhistory.why.whole import renamed, swapped

CLEAR = 7.0
"""Evidence from which a column has changed at all: once in a thousand by chance."""
MORE_OR_FEWER = 0.1
"""A run is larger or smaller than the one before from this share on."""
TOGETHER = 0.7
"""A column changed together with another if this share of its own change is in the same segment."""
EXPLAINS = 0.5
"""Rows that are missing explain why a column changed if without them it is no more than so far from what it was."""
MASK = "•••"


@dataclass(frozen=True, slots=True)
class Alarm:
    """What an answer is wanted for: columns that are not as usual, and whether the number of rows is not."""

    columns: tuple[str, ...] = ()
    is_about_rows: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows of a run as an Arrow table without structs, how many rows each stands for, and how many there are.

    `paths` are the names down to columns that were inside a struct.
    """

    table: Any
    weights: Floats
    rows: int
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def ask(
    now: Sample,
    before: Sample | None,
    alarm: Alarm,
    *,
    random: np.random.Generator,
    profiles: Mapping[str, ColumnProfile] | None = None,
    rows_before: int | None = None,
    options: Options | None = None,
    masked: Collection[str] = (),
) -> Answer:
    """Why a run is not as usual.

    Without the rows of the run before, `profiles` are what was stored of its columns and `rows_before` of its size.
    Values of `masked` columns are neither told nor used.
    """
    if before is None:
        ratio = now.rows / rows_before if rows_before else 1.0
        sides = Sides(now.table, now.table.slice(0, 0), _even(now.weights), random)
        known = _by_profiles(sides, alarm, profiles or {}, options or Options())
        found = _without_rows(_Question(sides, alarm, ratio, now.paths, masked), known)
        return replace(found, ratio=ratio)
    whole = _whole_columns(now, before, alarm)
    if whole is not None:
        return whole
    ratio = now.rows / max(1, before.rows)
    shared = [n for n in now.table.column_names if n in before.table.column_names]
    sides = Sides(now.table.select(shared), before.table.select(shared), _even(now.weights), random)
    found = _with_rows(_Question(sides, alarm, ratio, now.paths, masked))
    return replace(found, ratio=ratio)


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """What is asked of which rows; the features of each column are made when first needed."""

    sides: Sides
    alarm: Alarm
    ratio: float
    paths: Mapping[str, tuple[str, ...]]
    masked: Collection[str]
    made: dict[str, tuple[Feature, ...]] = field(default_factory=dict)

    @property
    def about(self) -> tuple[str, ...]:
        """The columns of the alarm that both runs have."""
        return tuple(c for c in self.alarm.columns if c in self.sides.now.column_names)

    @property
    def is_about_size(self) -> bool:
        """Whether the run is clearly larger or smaller, and the alarm is about that."""
        return self.alarm.is_about_rows and abs(np.log(max(1e-9, self.ratio))) > MORE_OR_FEWER

    def features(self, without: Collection[str] = ()) -> list[Feature]:
        """The features of all columns but some."""
        return [f for c in self.sides.now.column_names if c not in without for f in self._of(c)]

    def _of(self, column: str) -> tuple[Feature, ...]:
        if column not in self.made:
            found = features(self.paths.get(column, (column,)), *self.sides.column(column))
            self.made[column] = tuple(f for f in found if f.part == "null" or column not in self.masked)
        return self.made[column]


def _with_rows(asked: _Question) -> Answer:
    sides, about = asked.sides, asked.about
    by_column = {c: found for c in about if (found := changes(sides, c))}
    main = max(by_column, key=lambda c: by_column[c][0].evidence, default="")
    clear = by_column[main] if main and by_column[main][0].evidence > CLEAR else []
    told = by_value(sides, clear[0], asked.features(about), [c.view for c in clear]) if clear else []
    copies = twice(sides.now, sides.before, sides.weights)
    has_copies = copies.evidence > CLEAR and bool(copies.gained)
    again = by_value(sides, copies, asked.features(), [copies.view]) if has_copies else []
    if again and (not told or again[0].evidence > told[0].evidence):
        return Answer("rows repeated in a segment", columns=about, segments=_segments(again))
    shifted = _shifted(asked, clear, told)
    if shifted is not None:
        kind: Kind = "rows missing in a segment" if shifted.direction == "missing" else "rows too many in a segment"
        return Answer(kind, columns=about, segments=_segments(shifted.segments))
    if asked.is_about_size and not told:
        kind = "rows missing everywhere" if asked.ratio < 1 else "rows too many everywhere"
        return Answer("rows repeated everywhere" if has_copies and asked.ratio > 1 else kind, columns=about)
    return _of_values(asked, by_column, main, told) if clear else Answer("nothing found", columns=about)


def _even(weights: Floats) -> Floats:
    """Weights that are 1 on average, so that a sample has as much evidence as it has rows."""
    return np.asarray(weights / weights.mean()) if len(weights) else weights


def _whole_columns(now: Sample, before: Sample, alarm: Alarm) -> Answer | None:
    """Columns that are another one."""
    new = renamed(now.table, before.table)
    if new is not None:
        return Answer("column renamed", new[0], new, other=new[1])
    pair = swapped(now.table, before.table, alarm.columns)
    return None if pair is None else Answer("columns swapped", pair[0], pair, other=pair[1])


def _shifted(asked: _Question, clear: Sequence[Change], told: Sequence[Located]) -> Shifted | None:
    """The rows that are missing or too many, if they are what the alarm is about."""
    sides, about = asked.sides, asked.about
    shifted = by_rows(sides, asked.features(about if told and not asked.alarm.is_about_rows else ()), asked.ratio)
    if shifted is None or (told and told[0].evidence >= shifted.segments[0].evidence):
        return None
    if asked.alarm.is_about_rows:
        return shifted
    best = shifted.segments[0]
    in_about = any(c.column in about for c in best.conditions)
    if in_about and abs(np.log(max(1e-9, shifted.rest))) > abs(np.log(max(1e-9, asked.ratio))) / 2:
        return None  # the rows are all there: it is their values that changed
    weights = np.ones(sides.before.num_rows)
    weights[best.rows[1]] = best.rate_now
    left = [reweighted(c.view, sides.weights, weights) for c in clear[:1]]
    return shifted if all(after <= EXPLAINS * first for first, after in left) else None


def _of_values(asked: _Question, by_column: Mapping[str, list[Change]], main: str, told: Sequence[Located]) -> Answer:
    sides, first = asked.sides, by_column[main][0]
    if told:
        within = [change(main, c.view, sides.weights, _rows_in(c, told[0])) for c in by_column[main]]
        first = change(main, max(within, key=lambda c: c.evidence).view, sides.weights)
    first = first if first.gained or first.lost else by_column[main][0]
    together: list[str] = [main]
    apart: list[str] = []
    for column, found in by_column.items():
        if column != main:
            (together if _is_together(sides, found[0], told) else apart).append(column)
    gained, lost = (_shown(m, main in asked.masked) for m in (first.gained, first.lost))
    kind: Kind = "values in a segment" if told else "values everywhere"
    segments = _segments(told)
    return Answer(kind, main, tuple(together), tuple(apart), first.view.name, gained, lost, segments)


def _rows_in(found: Change, segment: Located) -> tuple[Ints, Ints]:
    """The rows of a segment; of a profile, which cannot be told apart, all."""
    mine, theirs = segment.rows
    return mine, theirs if len(theirs) <= len(found.view.before) else np.arange(len(found.view.before))


def _is_together(sides: Sides, found: Change, told: Sequence[Located]) -> bool:
    """Whether a column changed in the same rows; where the first is everywhere, whether it did so everywhere."""
    if found.evidence < CLEAR:
        return False
    if not told:
        return True
    mine, theirs = told[0].rows
    inside = _excess(sides, found, mine, theirs)
    rest = np.setdiff1d(np.arange(len(found.now)), mine, True), np.setdiff1d(np.arange(len(found.before)), theirs, True)
    outside = _excess(sides, found, *rest)
    return inside > TOGETHER * (inside + max(0.0, outside))


def _excess(sides: Sides, found: Change, mine: Any, theirs: Any) -> float:
    weights = sides.weights[mine]
    usual = found.before[theirs].mean() if len(theirs) else found.before.mean()
    return float((weights * (found.now[mine] - usual)).sum())


def _segments(told: Sequence[Located]) -> tuple[Segment, ...]:
    return tuple(Segment(s.conditions, s.share, s.rate_before, s.rate_now, s.explained) for s in told)


def _shown(moved: Sequence[Moved], is_masked: bool) -> tuple[Moved, ...]:
    if not is_masked:
        return tuple(moved)
    return tuple(m if m.what in (MISSING, NEW) else replace(m, what=MASK) for m in moved)


# -------------------------------------------------------------------------------------- without the rows before

UNREADABLE = (
    "the rows of the run before could not be read, so its stored profile stands in: a segment that always was "
    "like this cannot be told from one that changed"
)


def _by_profiles(
    sides: Sides, alarm: Alarm, profiles: Mapping[str, ColumnProfile], options: Options
) -> dict[str, list[Change]]:
    """What changed in each column, by its stored profile."""
    known = {}
    for c in alarm.columns:
        if c in profiles and c in sides.now.column_names:
            found = [change(c, v, sides.weights) for v in profile_views(sides.now[c], profiles[c], options)]
            known[c] = sorted(found, key=lambda f: -f.evidence)
    return known


def _without_rows(asked: _Question, by_column: Mapping[str, list[Change]]) -> Answer:
    unknown = [UNREADABLE, *(["which rows are missing or too many"] if asked.alarm.is_about_rows else [])]
    main = max(by_column, key=lambda c: by_column[c][0].evidence, default="")
    if not main or by_column[main][0].evidence <= CLEAR:
        return Answer("nothing found", columns=asked.about, unknown=tuple(unknown))
    found = by_column[main]
    told = by_value(asked.sides, found[0], asked.features(asked.about), [c.view for c in found])
    return replace(_of_values(asked, by_column, main, told), unknown=tuple(unknown))
