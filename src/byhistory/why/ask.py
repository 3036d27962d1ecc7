"""From two runs and an alarm to an answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from byhistory.profile import ColumnProfile, TableProfile
from byhistory.profile.arrays import Floats
from byhistory.rows.field import Options
from byhistory.why.answer import Answer, Kind
from byhistory.why.change import Change, change
from byhistory.why.keys import Key, Keys, compare, tells_rows_apart
from byhistory.why.locate import CLEAR, by_value, changes
from byhistory.why.pairs import paired
from byhistory.why.question import MORE_OR_FEWER, Alarm, Question, Sample
from byhistory.why.row_changes import are_too_many, explained_by, leaves_as_many, missing_or_extra, repeated
from byhistory.why.shares import of_rows
from byhistory.why.sides import Sides
from byhistory.why.stand_in import gone_values, profile_views
from byhistory.why.value_changes import answer_of_values, as_segments, changed_segments
from byhistory.why.whole import renamed, swapped

MANY_GONE, SAID_GONE = 0.02, 3
"""Values that are gone are told if this share of the rows had them, in so many columns at most (a choice)."""
ANSWERS = 3
"""The most answers, if columns changed in different places; columns beyond that are only named (a choice)."""


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
    past: Sequence[TableProfile] = (),
) -> Answer:
    """Find out why a run is not as usual: one answer for columns that changed together, and more for those that did
    not.

    If the rows of the run `before` cannot be read, `profiles` has the stored profiles of its columns, and `rows_before`
    its number of rows. Values of `masked` columns are neither shown nor used. `key` columns identify a row. `past` are
    the profiles of good runs, oldest first: what changes by itself from run to run is not what the alarm is about. An
    alarm that names nothing is about all columns and rows.
    """
    if before is not None and not before.table.num_rows and rows_before:
        before = None  # its rows are not where this run's are
    names_nothing = not alarm.columns and not alarm.is_about_rows
    if names_nothing:
        alarm = Alarm(tuple(now.table.column_names), True)
    sides = replace(_sides(now, before, random, alarm.columns, key), past=past)
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
        is_known = any((a.kind, a.segments) == (following.kind, following.segments) for a in answers)
        if following.kind == "nothing found" or (following.is_about_rows and is_known):
            break
        answers.append(following)
        left = following.apart
    found = [replace(a, ratio=asked.ratio, apart=()) for a in answers if a.kind != "nothing found"] or answers[-1:]
    apart = () if names_nothing else left
    return replace(found[0], also=tuple(found[1:]), apart=apart, keys=_keys(now, before, key))


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
    segments = changed_segments(asked, clear, main) if clear else []
    copies = repeated(asked)
    has_copies = copies.evidence > CLEAR and bool(copies.gained)
    other = asked.features(() if asked.alarm.is_about_rows else about)
    again = by_value(sides, copies, other, [copies.view]) if has_copies else []
    again = [s for s in again if are_too_many(asked, copies, s)]
    if again and (not segments or again[0].evidence > segments[0].evidence):
        times = 1 / (1 - again[0].rate_now / 2)  # of rows that are all there more than once, twice as many
        fits, rest = explained_by(asked, by_column, again[0], times)
        return Answer("rows repeated in a segment", "", fits, rest, copies.view.name, segments=as_segments(again))
    is_more = has_copies and np.log(asked.ratio) > MORE_OR_FEWER
    if is_more and not again and (not segments or leaves_as_many(asked, copies)):
        return Answer("rows repeated everywhere", columns=about, view=copies.view.name)
    shifted = missing_or_extra(asked, clear, segments)
    if shifted is not None:
        kind: Kind = "rows missing in a segment" if shifted.direction == "missing" else "rows too many in a segment"
        fits, rest = explained_by(asked, by_column, shifted.segments[0], shifted.segments[0].rate_now)
        return Answer(kind, "", fits, rest, segments=as_segments(shifted.segments))
    if asked.is_about_size and not segments:
        kind = "rows missing everywhere" if asked.ratio < 1 else "rows too many everywhere"
        view = copies.view.name if has_copies else ""
        return Answer("rows repeated everywhere" if is_more else kind, columns=about, view=view)
    return answer_of_values(asked, by_column, main, segments) if clear else Answer("nothing found", columns=about)


def _normalised(weights: Floats) -> Floats:
    """Weights that are 1 on average, so that a sample counts as many rows as it has."""
    return np.asarray(weights / weights.mean()) if len(weights) else weights


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
    answered = {c for a in found for c in a.columns}
    rest = tuple(c for c in alarm.columns if c not in answered)
    pair = None if before is None else swapped(now.table, before.table, rest)
    if pair is not None:
        found.append(Answer("columns swapped", pair[0], pair, other=pair[1]))
        rest = tuple(c for c in rest if c not in pair)
    return [*found[:-1], replace(found[-1], apart=rest)] if found else []


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


def _unknown_of_rows(asked: Question) -> list[str]:
    """What is not known of rows that are missing or too many; of values that are gone, only how many rows had them."""
    gone, sides = [], asked.sides
    for c, profile in (asked.profiles or {}).items():
        if c in sides.now.column_names and c not in asked.masked:
            share = gone_values(sides.now[c], profile, asked.options)
            if share >= MANY_GONE:
                gone.append((share, f"which values of {c!r} are gone that {of_rows(share)} of the rows had"))
    first = [said for _, said in sorted(gone, reverse=True)[:SAID_GONE]]
    return first or ["which rows are missing or too many"]


def _without_rows(asked: Question) -> Answer:
    by_column = _by_profiles(asked)
    unknown = [UNREADABLE, *(_unknown_of_rows(asked) if asked.alarm.is_about_rows else [])]
    main = max(by_column, key=lambda c: by_column[c][0].evidence, default="")
    if not main or by_column[main][0].evidence <= CLEAR:
        return Answer("nothing found", columns=asked.about, unknown=tuple(unknown))
    found = by_column[main]
    segments = by_value(asked.sides, found[0], asked.features(asked.about), [c.view for c in found])
    return replace(answer_of_values(asked, by_column, main, segments), unknown=tuple(unknown))
