"""In which rows did the values of a column change, and which columns changed with it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from byhistory.profile.arrays import Ints
from byhistory.why.answer import Answer, Kind, Segment
from byhistory.why.change import Change, Moved, change
from byhistory.why.locate import CLEAR, Located, by_value, telling
from byhistory.why.question import Question
from byhistory.why.sides import Sides
from byhistory.why.traits import is_as_large, narrower, others_to_try, renamed, rest_is_usual
from byhistory.why.view import CHANGED, COPY, MISSING, NEW, OTHERS
from byhistory.why.views import moves_on

SHARED_CHANGE = 0.7
"""A column changed together with another if this share of its own change is in the same segment (a choice)."""
FEW_MORE = 1.5
"""All rows that changed are looked at if they are at most this many times those that changed in one way (a choice)."""
NEARLY_AS_CLEAR = 0.8
"""A change of values is told if it has this part of the evidence of the clearest one (a choice)."""
MASK = "•••"
"""What is shown in place of the values of a masked column."""
_OF_TIME = ("value", "hour")
"""The views in which dates and times change with every run."""


def changed_segments(asked: Question, clear: Sequence[Change], main: str) -> list[Located]:
    """The segments that a column changed in, described by columns that the alarm is not about or, failing that, by
    those that it is about.

    Columns that changed in the same rows would describe each other. So of a column of the alarm, only values that are
    as frequent as before describe where another one changed.
    """
    views = [c.view for c in clear]
    # Dates and counters change with every run: what else is clear of them is asked for by itself.
    is_time = clear[0].view.name in _OF_TIME and moves_on(*asked.sides.column(main))
    more = [c for c in clear[1:] if c.evidence > CLEAR] if is_time else []
    if (is_time and len(np.unique(clear[0].view.now)) == 1) or renamed(clear):  # a frozen date
        return []
    usable = asked.features(asked.about)
    segments = by_value(asked.sides, clear[0], usable, views)
    for found in narrower(clear):
        other = by_value(asked.sides, found, usable, views)
        is_clearer = bool(other) and (not segments or other[0].beyond > segments[0].beyond)
        if is_clearer and rest_is_usual(asked.sides, other[0], clear):
            segments = other
    if segments:
        return _or_by_change(asked, clear, segments)
    for found in more or others_to_try(clear):
        segments = by_value(asked.sides, found, usable, [found.view] if more else views)
        if segments:
            return _or_by_change(asked, clear, segments)
    segments = by_value(asked.sides, clear[0], asked.features([main]), views) if len(asked.about) > 1 else []
    return [s for s in segments if is_as_large(asked.sides, s)]


def _or_by_change(asked: Question, clear: Sequence[Change], segments: list[Located]) -> list[Located]:
    """The segments that all changed rows are in, if these are hardly more than those with what became more frequent."""
    last = clear[-1]
    if last is clear[0] or last.view.name != CHANGED or last.now.sum() > FEW_MORE * clear[0].now.sum():
        return segments
    wider = by_value(asked.sides, last, asked.features(asked.about), [last.view])
    return wider if wider and wider[0].evidence > segments[0].evidence else segments


def answer_of_values(
    asked: Question, by_column: Mapping[str, list[Change]], main: str, segments: Sequence[Located]
) -> Answer:
    """How the values of the column `main` changed, in some segments or everywhere, and which columns changed alike."""
    sides, first = asked.sides, by_column[main][0]
    if segments:
        odd = [c for c in by_column[main] if c.evidence > CLEAR] or by_column[main][:1]
        within = [change(main, c.view, sides.weights, _rows_in(c, segments[0])) for c in odd]
        first = change(main, _most_telling(within).view, sides.weights)
    first = _in_values(first if first.gained or first.lost else by_column[main][0], by_column[main])
    first = first if segments else renamed(by_column[main]) or first
    alike: list[str] = [main]
    apart: list[str] = []
    for column, found in by_column.items():
        if column != main:
            (alike if _changed_alike(sides, found[0], segments) else apart).append(column)
    gained, lost = (_shown(m, main in asked.masked) for m in (first.gained, first.lost))
    kind: Kind = "values in a segment" if segments else "values everywhere"
    shown = as_segments(segments)
    if shown and first.named is not None:  # of what is named, not of all that was looked for
        named = replace(first, cells=first.named)
        shown = (replace(shown[0], explained=_share_in(sides, named, segments[0])), *shown[1:])
    return Answer(kind, main, tuple(alike), tuple(apart), first.view.name, gained, lost, shown)


def _most_telling(found: Sequence[Change]) -> Change:
    """The clearest change; if that of the values is nearly as clear, that one: people think of values first."""
    if found[0].view.name.startswith(COPY):
        return found[0]
    best = max(found, key=telling)
    values = (c for c in found if c.view.name == "value" and c.gained and c.gained[0].what not in (NEW, OTHERS))
    return next((c for c in values if telling(c) >= NEARLY_AS_CLEAR * telling(best)), best)


def _in_values(first: Change, found: Sequence[Change]) -> Change:
    """The change in terms of the values themselves ('n/a' rather than its pattern), if these are in the same rows."""
    if not first.gained or first.view.name.startswith(COPY):
        return first
    for other in found:
        is_named = other.view.name == "value" and other.gained and other.gained[0].what not in (NEW, OTHERS)
        if is_named and np.array_equal(other.now, first.now):
            return other
    return first


def _rows_in(found: Change, segment: Located) -> tuple[Ints, Ints]:
    """The rows of a segment; all rows if there is only a profile, which has no rows."""
    mine, theirs = segment.rows
    return mine, theirs if len(theirs) <= len(found.view.before) else np.arange(len(found.view.before))


def _changed_alike(sides: Sides, found: Change, segments: Sequence[Located]) -> bool:
    """Whether a column changed in the same rows as another; if that changed everywhere, whether it did so as well."""
    if found.evidence < CLEAR:
        return False
    return not segments or _share_in(sides, found, segments[0]) > SHARED_CHANGE


def _share_in(sides: Sides, found: Change, segment: Located) -> float:
    """The share of a column's gain that is in the rows of a segment."""
    mine, theirs = _rows_in(found, segment)
    rest = np.setdiff1d(np.arange(len(found.now)), mine, True), np.setdiff1d(np.arange(len(found.before)), theirs, True)
    inside, outside = _excess(sides, found, mine, theirs), _excess(sides, found, *rest)
    return max(0.0, inside) / max(1e-12, max(0.0, inside) + max(0.0, outside))


def _excess(sides: Sides, found: Change, mine: Any, theirs: Any) -> float:
    weights = sides.weights[mine]
    usual = found.before[theirs].mean() if len(theirs) else found.before.mean()
    return float((weights * (found.now[mine] - usual)).sum())


def as_segments(segments: Sequence[Located]) -> tuple[Segment, ...]:
    """The segments as an answer shows them."""
    return tuple(Segment(s.conditions, s.share, s.rate_before, s.rate_now, s.explained, s.past) for s in segments)


def _shown(moved: Sequence[Moved], is_masked: bool) -> tuple[Moved, ...]:
    if not is_masked:
        return tuple(moved)
    return tuple(m if m.what in (MISSING, NEW) else replace(m, what=MASK) for m in moved)
