"""What is a column for: an identifier, a counter, a part of the calendar, a code? Its metrics tell.

A role says which metrics mean something. The sum of identifiers and the mean of a day of the month are numbers, and no
news when they change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

Role = Literal["identifier", "counter", "calendar part", "time", "constant", "code", "free text", "measure", "text", ""]
"""What a column is for; empty where that is not known."""
ROLES: tuple[Role, ...] = tuple(role for role in get_args(Role) if role)
ROLE_METRICS = (
    "unique_ratio",
    "dist_val_count",
    "integer_ratio",
    "min",
    "max",
    "str_len",
    "space_len",
    "new_value_ratio",
)
"""The metrics that the role is read from."""
LOOKED_AT = 14
"""How many of the last runs the role is read from: two weeks of days."""
_NEEDED = 3
"""How many of these need values (a choice)."""
_UNIQUE, _FEW, _REPEATED = 0.98, 200, 0.2
"""The share of distinct values from which on they tell rows apart; the most distinct values of a code, as a number and
as a share (choices)."""
_LONG, _WORDS = 20.0, 2.0
"""Characters and blanks per value, on average, from which on text is written by people for people (choices)."""
_GROWS, _DENSE = 0.8, 20.0
"""The part of the steps in which the largest value of a counter rises, at least, and how many numbers it skips for one
that it uses, at most: the cases of fifty states are all different and rise every day, and count no rows (choices)."""
_SOME = 10
"""Distinct values per run that a counter needs (a choice)."""
_KEYS = re.compile(r"id|uid|uuid|guid|key|pk|sk|nr|no|number|num|code")
"""Words in the names of columns whose numbers are identifiers; by their values alone they could be amounts."""
_PARTS: tuple[tuple[str, float, float], ...] = (
    (r"year|yyyy", 1800, 2200),
    (r"quarter|qtr", 0, 4),
    (r"month", 0, 12),
    (r"week|iso_?week", 0, 53),
    (r"week_?day|day_?of_?week|dow", 0, 7),
    (r"day_?of_?year|doy", 0, 366),
    (r"day|day_?of_?month|dom", 0, 31),
    (r"hour", 0, 24),
    (r"minute", 0, 60),
)
"""Parts of the calendar: a word in the name of the column, and the numbers it can take."""

_LEVELS = ("mean", "median", "sum", "std", "p1", "p5", "p95", "p99", "zero_ratio")
MEANINGLESS: Mapping[Role, tuple[str, ...]] = {
    "identifier": (*_LEVELS, "digits", "digit_len"),
    "counter": (*_LEVELS, "digits"),
    "calendar part": (*_LEVELS, "min", "max", "range", "dist_val_count", "unique_ratio", "digits"),
}
"""Metrics that mean nothing for a column in a role: left out where a user named the role (ADR 0015)."""


def meaningless(role: str | None) -> tuple[str, ...]:
    """The metrics that mean nothing for a column in a role.

    >>> "sum" in meaningless("identifier"), meaningless("measure"), meaningless(None)
    (True, (), ())
    """
    return next((metrics for known, metrics in MEANINGLESS.items() if known == role), ())


def role_of(name: str, kind: Kind, reads: Mapping[str, Floats]) -> Role:
    """The role of a column, from what the metrics in `ROLE_METRICS` read in its last runs, oldest first.

    >>> day = {"integer_ratio": np.ones(9), "dist_val_count": np.ones(9), "unique_ratio": np.full(9, 0.01)}
    >>> role_of("day_of_month", Kind.NUMERIC, {**day, "min": np.arange(1.0, 10), "max": np.arange(1.0, 10)})
    'calendar part'
    >>> role_of("price", Kind.NUMERIC, {**day, "min": np.arange(1.0, 10), "max": np.arange(1.0, 10)})
    'code'
    """
    if kind is Kind.TEMPORAL:
        return "time"
    known = {metric: line[np.isfinite(line)] for metric, line in reads.items()}
    if len(known.get("dist_val_count", ())) < _NEEDED or kind not in (Kind.NUMERIC, Kind.CATEGORICAL):
        return ""
    return (_of_numbers(name, known) if kind is Kind.NUMERIC else "") or _of_values(name, kind, known)


def _words(name: str) -> list[str]:
    """The words of a name, in small letters.

    >>> _words("dayOfMonth"), _words("LOSER_ID")
    (['day', 'of', 'month'], ['loser', 'id'])
    """
    return re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def _of_values(name: str, kind: Kind, known: Mapping[str, Floats]) -> Role:
    """The role by the number of distinct values, and by their length."""
    distinct, unique = known["dist_val_count"], known.get("unique_ratio", np.empty(0))
    rest: Role = "measure" if kind is Kind.NUMERIC else "free text" if _is_written(known) else "text"
    if (distinct <= 1.0).all() and _is_same(known):
        return "constant"
    if not len(unique) or (kind is Kind.NUMERIC and not _always(known, "integer_ratio", 1.0)):
        return rest
    if (unique >= _UNIQUE).all() and (distinct > _NEEDED).all():
        is_key = kind is Kind.CATEGORICAL or any(_KEYS.fullmatch(word) for word in _words(name))
        return "identifier" if is_key and rest != "free text" else rest
    return "code" if (distinct <= _FEW).all() and (unique <= _REPEATED).all() else rest


def _of_numbers(name: str, known: Mapping[str, Floats]) -> Role:
    """A part of the calendar, or a counter; empty for numbers that are neither."""
    low, high = (known.get(end, np.empty(0)) for end in ("min", "max"))
    if not _always(known, "integer_ratio", 1.0) or len(low) != len(high) or len(low) < _NEEDED:
        return ""
    words = _words(name)
    for pattern, first, last in _PARTS:
        is_named = any(re.fullmatch(pattern, word) for word in (*words, "_".join(words)))
        if is_named and (low >= first).all() and (high <= last).all():
            return "calendar part"
    steps, distinct, unique = np.diff(high), known["dist_val_count"], known.get("unique_ratio", np.empty(0))
    if len(unique) != len(low) or len(distinct) != len(low) or not (unique >= _UNIQUE).all():
        return ""
    if not (distinct >= _SOME).all():
        return ""
    is_dense = (high - low <= _DENSE * distinct).all()
    return "counter" if is_dense and (steps >= 0).all() and (steps > 0).mean() >= _GROWS else ""


def _always(known: Mapping[str, Floats], metric: str, value: float) -> bool:
    line = known.get(metric, np.empty(0))
    return len(line) > 0 and bool((line == value).all())


def _is_same(known: Mapping[str, Floats]) -> bool:
    """Whether the one value of each run is always the same; a date that all rows of one run share is not."""
    low, new = known.get("min", np.empty(0)), known.get("new_value_ratio", np.empty(0))
    return bool((low == low[0]).all()) if len(low) else not new.any()


def _is_written(known: Mapping[str, Floats]) -> bool:
    length, spaces = (known.get(metric, np.zeros(1)) for metric in ("str_len", "space_len"))
    return bool(np.median(length) >= _LONG and np.median(spaces) >= _WORDS) if len(length) and len(spaces) else False
