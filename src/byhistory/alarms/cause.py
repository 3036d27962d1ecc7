"""What an alarm is about: which columns, what moved there, and which way."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from byhistory.constraints import LEVELS, Level
from byhistory.constraints.always import ALWAYS, MAY_BECOME_NORMAL
from byhistory.errors import ByHistoryError
from byhistory.verdict import Finding, Verdict
from byhistory.verdict.group import by_cause
from byhistory.verdict.repeated import REPEATED

ROWS = ""
"""The name under which the number of rows of a table is kept beside its columns."""
_ROWS_METRIC = "row_count"
DRIFT: Final = "drift"
"""What a finding on a slow drift is about."""
_RETURNED, _ARRIVED = "returned", "arrived"
"""What is kept with a run beside its causes: which columns were judged by their level before one that nobody had
confirmed, and when it first came, if this is not the first record of it."""
_ALWAYS_STOPS = frozenset({"missing column", "type change", "empty batch"})
"""Findings about the table itself that stop at every budget."""
_OF_THE_TABLE = frozenset({"empty batch", REPEATED})
"""Findings about all rows at once."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is not as usual in a run, as it is kept with the run.

    `about` is what kind of finding it is, `columns` where it shows (`ROWS` for the number of rows), `metric` what moved
    most and `direction` which way: 1 up, -1 down, 0 where there is none. What `always` stops never becomes normal by
    itself.
    """

    about: str
    columns: tuple[str, ...]
    metric: str = ""
    direction: int = 0
    level: Level = "stop"
    always: bool = False
    sentence: str = ""


def is_same(a: Cause, b: Cause) -> bool:
    """Whether a later run shows the same change: the same place, and not moved the other way.

    What always stops is the same change only as long as it always stops, or at least the same metric leads: a column
    that was all zeros yesterday and has a value too small today is another story.

    A stop is never the same as a warning: what was warned about is learned from, so that it has moved further since.

    The number of rows counts as a place of its own: the move of a column is not the beginning of a loss of rows one run
    later, whose new level would then begin too early.

    >>> up, down = Cause("constraint", ("n",), "mean", 1), Cause("constraint", ("n",), "mean", -1)
    >>> is_same(up, up), is_same(up, down), is_same(up, Cause("constraint", ("n", "m"), "max", 1))
    (True, False, True)
    >>> is_same(up, Cause("constraint", (ROWS, "n", "m"), "row_count", 1))
    False
    >>> is_same(Cause("constraint", ("n",), "zero_ratio", 1, always=True), up)
    False
    >>> warned = Cause("constraint", ("n",), "mean", 1, "warn")
    >>> is_same(warned, up), is_same(up, warned)
    (False, True)
    """
    if a.level == "warn" and b.level == "stop":
        return False
    overlaps = bool(set(a.columns) & set(b.columns)) and (ROWS in a.columns) == (ROWS in b.columns)
    is_one_metric = a.metric == b.metric
    turned = is_one_metric and a.direction * b.direction < 0
    return a.about == b.about and overlaps and not turned and (is_one_metric or a.always == b.always)


def causes_of(verdict: Verdict) -> tuple[Cause, ...]:
    """The causes of a verdict that warn or stop, in its order."""
    return tuple(_cause(first, findings) for first, findings in by_cause(verdict.findings) if first.level != "as usual")


def _cause(first: Finding, findings: Sequence[Finding]) -> Cause:
    outcome = first.outcome
    metric = "" if outcome is None else outcome.constraint.metric
    is_rows = metric == _ROWS_METRIC or first.about in _OF_THE_TABLE
    columns = dict.fromkeys(f.column for f in findings if f.column)
    places = (ROWS, *(columns if len(columns) > 1 else ())) if is_rows else tuple(columns)
    if first.about == DRIFT:
        places = tuple(dict.fromkeys(f.column or ROWS for f in findings))
    direction = 0
    if outcome is not None and math.isfinite(outcome.low + outcome.high + outcome.value):
        direction = 1 if outcome.value > (outcome.low + outcome.high) / 2 else -1
    elif outcome is not None:
        direction = 1 if outcome.value > outcome.high else -1 if outcome.value < outcome.low else 0
    always = any(f.about in _ALWAYS_STOPS or _is_always(f) for f in findings)
    level: Level = "stop" if any(f.stops for f in findings) else "warn"
    return Cause(first.about, places, metric, direction, level, always, first.sentence)


def _is_always(finding: Finding) -> bool:
    """Whether it never becomes normal by itself."""
    clause = None if finding.outcome is None else finding.outcome.constraint
    return clause is not None and clause.bound == ALWAYS and clause.metric not in MAY_BECOME_NORMAL


def causes_to_json(causes: Sequence[Cause], returned: Sequence[str] = (), arrived: str | None = None) -> str:
    """As a line to keep with a run, with the columns that were judged by their old level; nothing for none.

    `arrived` is when the run first came, if there was a record of it before: empty if that is not known.
    """
    kept = [*causes, *([Cause(_RETURNED, tuple(returned), level="as usual")] if returned else [])]
    kept += [Cause(_ARRIVED, (), level="as usual", sentence=arrived)] if arrived is not None else []
    return json.dumps([_to_dict(c) for c in kept], separators=(",", ":")) if kept else ""


def causes_from_json(text: str) -> tuple[Cause, ...]:
    """The causes back; a clear error for text that holds none.

    >>> kept = (Cause("constraint", ("n",), "mean", -1, "warn", sentence="mean is 3"),)
    >>> causes_from_json(causes_to_json(kept)) == kept, causes_from_json("")
    (True, ())
    """
    return tuple(cause for cause in _kept(text) if cause.about not in (_RETURNED, _ARRIVED))


def returned_from_json(text: str) -> tuple[str, ...]:
    """The columns that were judged by their level before one that nobody had confirmed.

    >>> returned_from_json(causes_to_json((), ["n"])), causes_from_json(causes_to_json((), ["n"]))
    (('n',), ())
    """
    return tuple(column for cause in _kept(text) if cause.about == _RETURNED for column in cause.columns)


def arrived_from_json(text: str) -> str | None:
    """When a run first came: empty if nobody knows, None if there was no record of it before.

    >>> arrived_from_json(causes_to_json((), arrived="2026-03-01T06:00:00+00:00")), arrived_from_json("")
    ('2026-03-01T06:00:00+00:00', None)
    """
    return next((cause.sentence for cause in _kept(text) if cause.about == _ARRIVED), None)


def _kept(text: str) -> tuple[Cause, ...]:
    try:
        return _parsed(text) if text else ()
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as why:
        raise ByHistoryError(
            "read the causes of a run", f"text that holds none ({why})", "check that run again"
        ) from why


@lru_cache(256)  # most runs have the same: none
def _parsed(text: str) -> tuple[Cause, ...]:
    return tuple(_from_dict(body) for body in json.loads(text))


def _to_dict(cause: Cause) -> dict[str, Any]:
    return {
        "about": cause.about,
        "columns": list(cause.columns),
        "metric": cause.metric,
        "direction": cause.direction,
        "level": cause.level,
        "always": cause.always,
        "sentence": cause.sentence,
    }


def _from_dict(body: dict[str, Any]) -> Cause:
    if body["about"] == _ARRIVED and body["sentence"] and datetime.fromisoformat(body["sentence"]).tzinfo is None:
        raise ValueError(f"a time without a zone: {body['sentence']}")
    return Cause(
        str(body["about"]),
        tuple(map(str, body["columns"])),
        str(body["metric"]),
        int(body["direction"]),
        LEVELS[LEVELS.index(body["level"])],
        bool(body["always"]),
        str(body["sentence"]),
    )
