"""From two runs and an alarm to an answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from byhistory.profile import ColumnProfile
from byhistory.profile.arrays import Floats, Ints
from byhistory.rows.field import Options
from byhistory.why.answer import Answer, Kind, Segment
from byhistory.why.change import Change, Moved, change, reweighted
from byhistory.why.keys import Key, Keys, compare, tells_rows_apart
from byhistory.why.locate import CLEAR, Located, by_value, changes
from byhistory.why.pairs import paired
from byhistory.why.question import MORE_OR_FEWER, Alarm, Question, Sample
from byhistory.why.shift import Shifted, by_rows
from byhistory.why.sides import Sides
from byhistory.why.stand_in import profile_views
from byhistory.why.traits import is_as_large, narrower, rest_is_usual
from byhistory.why.twice import copies as is_copy
from byhistory.why.twice import twice
from byhistory.why.view import CHANGED, MISSING, NEW, OTHERS
from byhistory.why.views import moves_on, views
from byhistory.why.whole import renamed, swapped

SHARED_CHANGE = 0.7
"""A column changed together with another if this share of its own change is in the same segment (a choice)."""
EXPLAINS = 0.5
"""Missing rows explain why a column changed if, without them, it is at most this part as far from what it was (a
choice)."""
COPIED = 0.3
"""Rows came twice if, without its copies, a segment has at least this share of the rows that it had (a choice)."""
GONE = 0.02
"""All rows of a segment are missing if at most this share of them is there (a choice)."""
FEW_MORE = 1.5
"""All rows that changed are looked at if they are at most so many times those that changed in one way (a choice)."""
ANSWERS = 3
"""The most answers, if columns changed in different places; columns beyond that are only named (a choice)."""
MASK = "•••"
_OF_TIME = ("value", "hour")
"""The views in which dates and times change with every run."""


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
    key: Key = (),
) -> Answer:
    """Find out why a run is not as usual: one answer for columns that changed together, and more for those that did
    not.

    If the rows of the run `before` cannot be read, `profiles` has the stored profiles of its columns, and `rows_before`
    its number of rows. Values of `masked` columns are neither shown nor used. `key` columns identify a row. An alarm
    that names nothing is about all columns and rows.
    """
    if before is not None and not before.table.num_rows and rows_before:
        before = None  # its rows are not where this run's are
    names_nothing = not alarm.columns and not alarm.is_about_rows
    if names_nothing:
        alarm = Alarm(tuple(now.table.column_names), True)
    sides = _sides(now, before, random, alarm.columns, key)
    asked = Question(sides, alarm, _ratio(now, before, rows_before), now.paths, masked)
    if before is None:
        asked = replace(asked, profiles=profiles or {}, options=options or Options())
    elif tells_rows_apart(before.table, key):
        asked = replace(asked, key=key)
    answers = _whole_columns(now, before, alarm, profiles or {}) or [_answered(asked, alarm)]
    left = answers[-1].apart
    if asked.is_about_size and not answers[0].is_about_rows:
        answers.append(_answered(asked, Alarm((), True), answers))
    while left and len(answers) < ANSWERS:
        following = _answered(asked, Alarm(left), answers)
        if following.kind == "nothing found":
            break
        answers.append(following)
        left = following.apart
    told = [replace(a, ratio=asked.ratio, apart=()) for a in answers if a.kind != "nothing found"] or answers
    apart = () if names_nothing else left
    return replace(told[0], also=tuple(told[1:]), apart=apart, keys=_keys(now, before, key))


def _answered(asked: Question, alarm: Alarm, known: Sequence[Answer] = ()) -> Answer:
    """The answer for some of the columns, given the answers for others."""
    explained = tuple(c for a in known if not a.is_about_rows for c in a.columns)
    asked = replace(asked, alarm=alarm, explained=explained)
    return _with_rows(asked) if asked.sides.has_past or asked.profiles is None else _without_rows(asked)


def _sides(now: Sample, before: Sample | None, random: np.random.Generator, about: Collection[str], key: Key) -> Sides:
    there = now.table.slice(0, 0) if before is None else before.table
    shared = [n for n in now.table.column_names if n in there.column_names]
    here, there = now.table.select(shared), there.select(shared)
    return Sides(here, there, _normalised(now.weights), random, paired(here, there, about, key))


def _ratio(now: Sample, before: Sample | None, rows_before: int | None) -> float:
    """Rows of this run per row of the run before; 1 if that is not known."""
    rows = rows_before if before is None else before.rows
    return 1.0 if rows is None or (before is None and not rows) else now.rows / max(1, rows)


def _keys(now: Sample, before: Sample | None, key: Key) -> Keys | None:
    if before is None or not key:
        return None
    return compare(now.table, before.table, key, (_scale(now), _scale(before)))


def _scale(sample: Sample) -> float:
    """How many rows each row of a sample stands for."""
    return sample.rows / max(1, int(sample.table.num_rows))


def _with_rows(asked: Question) -> Answer:
    sides, about = asked.sides, asked.about
    others = asked.features_of_runs(about)
    among = [c for c in sides.now.column_names if c not in about]
    by_column = {c: found for c in about if (found := changes(sides, c, others, among))}
    main = max(by_column, key=lambda c: by_column[c][0].evidence, default="")
    clear = by_column[main] if main and by_column[main][0].evidence > CLEAR else []
    told = _located(asked, clear, main) if clear else []
    copies = _copies(asked)
    has_copies = copies.evidence > CLEAR and bool(copies.gained)
    other = asked.features(() if asked.alarm.is_about_rows else about)
    again = by_value(sides, copies, other, [copies.view]) if has_copies else []
    again = [s for s in again if _are_too_many(asked, copies, s)]
    if again and (not told or again[0].evidence > told[0].evidence):
        times = 1 / (1 - again[0].rate_now / 2)  # of rows that are all there more than once, twice as many
        fits, rest = _explained(asked, by_column, again[0], times)
        return Answer("rows repeated in a segment", "", fits, rest, copies.view.name, segments=_segments(again))
    shifted = _shifted(asked, clear, told)
    if shifted is not None:
        kind: Kind = "rows missing in a segment" if shifted.direction == "missing" else "rows too many in a segment"
        fits, rest = _explained(asked, by_column, shifted.segments[0], shifted.segments[0].rate_now)
        return Answer(kind, "", fits, rest, segments=_segments(shifted.segments))
    if asked.is_about_size and not told:
        kind = "rows missing everywhere" if asked.ratio < 1 else "rows too many everywhere"
        view = copies.view.name if has_copies else ""
        return Answer("rows repeated everywhere" if has_copies and asked.ratio > 1 else kind, columns=about, view=view)
    return _of_values(asked, by_column, main, told) if clear else Answer("nothing found", columns=about)


def _located(asked: Question, clear: Sequence[Change], main: str) -> list[Located]:
    """The segments that a column changed in, described by columns that the alarm is not about or, failing that, by
    those that it is about.

    Columns that changed in the same rows would describe each other. So of a column of the alarm, only values that are
    as frequent as before describe where another one changed.
    """
    views = [c.view for c in clear]
    # Dates and counters change with every run: what else is clear of them is asked for by itself.
    is_time = clear[0].view.name in _OF_TIME and moves_on(*asked.sides.column(main))
    more = [c for c in clear[1:] if c.evidence > CLEAR] if is_time else []
    if is_time and len(np.unique(clear[0].view.now)) == 1:  # a date that is frozen
        return []
    usable = asked.features(asked.about)
    told = by_value(asked.sides, clear[0], usable, views)
    for found in narrower(clear):
        other = by_value(asked.sides, found, usable, views)
        is_clearer = bool(other) and (not told or other[0].beyond > told[0].beyond)
        if is_clearer and rest_is_usual(asked.sides, other[0], clear):
            told = other
    if told:
        return _or_by_change(asked, clear, told)
    for found in more:
        told = by_value(asked.sides, found, usable, [found.view])
        if told:
            return _or_by_change(asked, clear, told)
    told = by_value(asked.sides, clear[0], asked.features([main]), views) if len(asked.about) > 1 else []
    return [s for s in told if is_as_large(asked.sides, s)]


def _or_by_change(asked: Question, clear: Sequence[Change], told: list[Located]) -> list[Located]:
    """The segments that all changed rows are in, if these are hardly more than those with what became more frequent."""
    last = clear[-1]
    if last is clear[0] or last.view.name != CHANGED or last.now.sum() > FEW_MORE * clear[0].now.sum():
        return told
    return by_value(asked.sides, last, asked.features(asked.about), [last.view]) or told


def _normalised(weights: Floats) -> Floats:
    """Weights that are 1 on average, so that a sample counts as many rows as it has."""
    return np.asarray(weights / weights.mean()) if len(weights) else weights


def _copies(asked: Question) -> Change:
    """Whether rows, or rows with the same key, are there more than once.

    Rows are compared by the columns that the alarm is not about: if such a column became null or constant, rows that
    differed only in it would look like copies.
    """
    sides = asked.sides
    names = [n for n in sides.now.column_names if n not in asked.about] or sides.now.column_names
    rows = twice(sides.now.select(names), sides.before.select(names), sides.weights)
    # A key that changed itself, without more rows, is no key that came twice.
    is_usable = bool(asked.key) and (asked.is_about_size or not {*asked.key} & {*asked.about})
    keys = twice(sides.now, sides.before, sides.weights, asked.key) if is_usable else rows
    return keys if keys.evidence > rows.evidence else rows


def _are_too_many(asked: Question, copies: Change, segment: Located) -> bool:
    """Whether a segment without its copies would still be about as large as it was.

    Rows also become alike if they lose what made them differ (all their values are null); then they did not come twice.
    """
    mine, theirs = segment.rows
    places = mine[copies.now[mine]]
    names = (
        asked.key if copies.view.name == "key" else [n for n in asked.sides.now.column_names if n not in asked.about]
    )
    several = asked.sides.now.select(names or asked.sides.now.column_names).take(places)
    without = len(mine) - int(is_copy(several, asked.key if copies.view.name == "key" else ()).sum())
    expected = len(theirs) * float(asked.sides.now.num_rows) / max(1, asked.sides.before.num_rows)
    return bool(without >= COPIED * expected)


def _whole_columns(
    now: Sample, before: Sample | None, alarm: Alarm, profiles: Mapping[str, ColumnProfile]
) -> list[Answer]:
    """Answers about whole columns that are missing, renamed or swapped; the last one names the columns that are
    left.
    """
    there = profiles if before is None else before.table.column_names
    gone = [c for c in alarm.columns if c in there and c not in now.table.column_names]
    found = []
    new = None if before is None else renamed(now.table, before.table)
    if new is not None and before is not None:
        found.append(Answer("column renamed", new[0], new, other=new[1]))
        gone = [c for c in gone if c != new[1]]
    if gone:
        found.append(Answer("column missing", gone[0], tuple(gone)))
    told = {c for a in found for c in a.columns}
    rest = tuple(c for c in alarm.columns if c not in told)
    pair = None if before is None else swapped(now.table, before.table, rest)
    if pair is not None:
        found.append(Answer("columns swapped", pair[0], pair, other=pair[1]))
        rest = tuple(c for c in rest if c not in pair)
    return [*found[:-1], replace(found[-1], apart=rest)] if found else []


def _explained(
    asked: Question, by_column: Mapping[str, list[Change]], by: Located, times: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the alarm that are explained by missing or additional rows, and those that are left."""
    fits = {c: _is_explained(asked, by_column, c, by, times) for c in asked.about}
    return tuple(c for c in fits if fits[c]), tuple(c for c in fits if not fits[c])


def _is_explained(
    asked: Question, by_column: Mapping[str, list[Change]], column: str, by: Located, times: float
) -> bool:
    """Whether a column changed no more than follows from the fewer or additional rows of a segment."""
    found = by_column.get(column, [])
    if not found or found[0].evidence <= CLEAR:
        return True
    now, before = asked.sides.column(column)
    if times < GONE and moves_on(now, before):  # by how much is seen without the rows that are missing
        kept = np.setdiff1d(np.arange(len(before)), by.rows[1], True)
        rest = [change(column, view, asked.sides.weights) for view in views(now, before.take(kept))]
        return max(c.evidence for c in rest) <= EXPLAINS * found[0].evidence
    weights = np.ones(asked.sides.before.num_rows)
    weights[by.rows[1]] = times
    first, after = reweighted(found[0].view, asked.sides.weights, weights)
    return first > 0 and after <= EXPLAINS * first


def _shifted(asked: Question, clear: Sequence[Change], told: Sequence[Located]) -> Shifted | None:
    """The rows that are missing or too many, if the alarm is about them."""
    sides, about = asked.sides, asked.about
    usable = asked.features_of_runs(about if told and not asked.alarm.is_about_rows else ())
    shifted = by_rows(sides, usable, asked.ratio)
    if shifted is None or (told and told[0].evidence >= shifted.segments[0].evidence):
        return None
    if asked.alarm.is_about_rows:
        return shifted if _leaves_the_rest(asked, shifted) else None
    best = shifted.segments[0]
    if not clear:  # distinct values and sums follow the number of rows
        is_size = max(abs(np.log(max(1e-9, asked.ratio))), sides.came_or_went) > MORE_OR_FEWER
        return shifted if is_size and _leaves_the_rest(asked, shifted) else None
    in_about = any(c.column in about for c in best.conditions)
    if in_about and abs(np.log(max(1e-9, shifted.rest))) > abs(np.log(max(1e-9, asked.ratio))) / 2:
        return None  # the rows are all there: it is their values that changed
    explained = [_is_explained(asked, {c.column: [c]}, c.column, best, best.rate_now) for c in clear[:1]]
    return shifted if all(explained) else None


def _leaves_the_rest(asked: Question, shifted: Shifted) -> bool:
    """Whether the rest of the run is as large as it was, or at least much nearer to that than the whole run."""
    rest, whole = (abs(float(np.log(max(1e-9, x)))) for x in (shifted.rest, asked.ratio))
    return rest <= max(MORE_OR_FEWER, whole / 2)


def _of_values(asked: Question, by_column: Mapping[str, list[Change]], main: str, told: Sequence[Located]) -> Answer:
    sides, first = asked.sides, by_column[main][0]
    if told:
        within = [change(main, c.view, sides.weights, _rows_in(c, told[0])) for c in by_column[main]]
        first = change(main, max(within, key=lambda c: c.evidence).view, sides.weights)
    first = _in_values(first if first.gained or first.lost else by_column[main][0], by_column[main])
    alike: list[str] = [main]
    apart: list[str] = []
    for column, found in by_column.items():
        if column != main:
            (alike if _changed_alike(sides, found[0], told) else apart).append(column)
    gained, lost = (_shown(m, main in asked.masked) for m in (first.gained, first.lost))
    kind: Kind = "values in a segment" if told else "values everywhere"
    segments = _segments(told)
    if segments and first.told is not None:  # of what is named, not of all that was looked for
        named = replace(first, cells=first.told)
        segments = (replace(segments[0], explained=_share_in(sides, named, told[0])), *segments[1:])
    return Answer(kind, main, tuple(alike), tuple(apart), first.view.name, gained, lost, segments)


def _in_values(first: Change, found: Sequence[Change]) -> Change:
    """The change in terms of the values themselves ('n/a' rather than its pattern), if these are in the same rows."""
    if not first.gained:
        return first
    for other in found:
        is_told = other.view.name == "value" and other.gained and other.gained[0].what not in (NEW, OTHERS)
        if is_told and np.array_equal(other.now, first.now):
            return other
    return first


def _rows_in(found: Change, segment: Located) -> tuple[Ints, Ints]:
    """The rows of a segment; all rows if there is only a profile, whose rows cannot be told apart."""
    mine, theirs = segment.rows
    return mine, theirs if len(theirs) <= len(found.view.before) else np.arange(len(found.view.before))


def _changed_alike(sides: Sides, found: Change, told: Sequence[Located]) -> bool:
    """Whether a column changed in the same rows as another; if that changed everywhere, whether it did so as well."""
    if found.evidence < CLEAR:
        return False
    return not told or _share_in(sides, found, told[0]) > SHARED_CHANGE


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


def _segments(told: Sequence[Located]) -> tuple[Segment, ...]:
    return tuple(Segment(s.conditions, s.share, s.rate_before, s.rate_now, s.explained, s.past) for s in told)


def _shown(moved: Sequence[Moved], is_masked: bool) -> tuple[Moved, ...]:
    if not is_masked:
        return tuple(moved)
    return tuple(m if m.what in (MISSING, NEW) else replace(m, what=MASK) for m in moved)


# -------------------------------------------------------------------------------------- without the rows before

UNREADABLE = (
    "the rows of the run before could not be read, so its stored profile stands in: a segment that always was "
    "like this cannot be told from one that changed"
)


def _by_profiles(asked: Question) -> dict[str, list[Change]]:
    """What changed in each column, compared with its stored profile."""
    known, sides, profiles = {}, asked.sides, asked.profiles or {}
    for c in asked.about:
        if c in profiles:
            found = [change(c, v, sides.weights) for v in profile_views(sides.now[c], profiles[c], asked.options)]
            known[c] = sorted(found, key=lambda f: -f.evidence)
    return known


def _without_rows(asked: Question) -> Answer:
    by_column = _by_profiles(asked)
    unknown = [UNREADABLE, *(["which rows are missing or too many"] if asked.alarm.is_about_rows else [])]
    main = max(by_column, key=lambda c: by_column[c][0].evidence, default="")
    if not main or by_column[main][0].evidence <= CLEAR:
        return Answer("nothing found", columns=asked.about, unknown=tuple(unknown))
    found = by_column[main]
    told = by_value(asked.sides, found[0], asked.features(asked.about), [c.view for c in found])
    return replace(_of_values(asked, by_column, main, told), unknown=tuple(unknown))
