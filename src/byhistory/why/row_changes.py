"""Which rows are missing, too many or there twice, and does that explain what changed in the columns?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from byhistory.why.change import Change, change, reweighted
from byhistory.why.keys import Key
from byhistory.why.locate import CLEAR, Located
from byhistory.why.question import MORE_OR_FEWER, Question
from byhistory.why.shift import Shifted, by_rows
from byhistory.why.twice import copies as is_copy
from byhistory.why.twice import twice
from byhistory.why.views import moves_on, views

EXPLAINS = 0.5
"""Missing rows explain why a column changed if, without them, it is at most this part as far from what it was (a
choice)."""
COPIED = 0.3
"""Rows came twice if, without its copies, a segment has at least this share of the rows that it had (a choice)."""
GONE = 0.02
"""All rows of a segment are missing if at most this share of them is there (a choice)."""


def repeated(asked: Question) -> Change:
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


def leaves_as_many(asked: Question, copies: Change) -> bool:
    """Whether the run without its copies has about as many rows as the one before."""
    rows, key = _compared(asked, copies)
    share = float(is_copy(rows, key).sum()) / max(1, rows.num_rows)
    return bool(abs(np.log(max(1e-9, asked.ratio * (1 - share)))) <= MORE_OR_FEWER)


def _compared(asked: Question, copies: Change) -> tuple[Any, Key]:
    """The columns by which rows are copies of others, and the key that they have in common, if that is what tells."""
    now, key = asked.sides.now, asked.key if copies.view.name == "key" else ()
    names = key or [n for n in now.column_names if n not in asked.about] or now.column_names
    return now.select(names), key


def are_too_many(asked: Question, copies: Change, segment: Located) -> bool:
    """Whether a segment without its copies would still be about as large as it was.

    Rows also become alike if they lose what made them differ (all their values are null); then they did not come twice.
    """
    mine, theirs = segment.rows
    rows, key = _compared(asked, copies)
    without = len(mine) - int(is_copy(rows.take(mine[copies.now[mine]]), key).sum())
    expected = len(theirs) * float(asked.sides.now.num_rows) / max(1, asked.sides.before.num_rows)
    return bool(without >= COPIED * expected)


def explained_by(
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


def missing_or_extra(asked: Question, clear: Sequence[Change], segments: Sequence[Located]) -> Shifted | None:
    """The rows that are missing or too many, if the alarm is about them."""
    sides, about = asked.sides, asked.about
    usable = asked.features_of_runs(about if segments and not asked.alarm.is_about_rows else ())
    shifted = by_rows(sides, usable, asked.ratio)
    if shifted is None or (segments and segments[0].evidence >= shifted.segments[0].evidence):
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
