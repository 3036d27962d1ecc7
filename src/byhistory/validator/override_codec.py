"""The user's decisions about programs, as the configuration and the store keep them."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError, did_you_mean
from byhistory.learners import Override, Program, from_json, to_json
from byhistory.profile import Kind

OVERRIDE = "override "
"""How the name of the setting that keeps one override begins."""
PINS = "pins"
"""The setting of a table that keeps the clauses which the configuration pins."""
_LIST = "overrides"
"""The setting in which earlier releases kept all overrides."""


def from_config(config: TableConfig, metrics: Collection[str]) -> list[Override]:
    """The muted metrics and thresholds in `byhistory.toml`; an error for a name that is not among `metrics`."""
    overrides = []
    for column, entries in config.columns.items():
        for metric in (*entries.mute, *entries.pin, *entries.thresholds):
            if metric not in metrics:
                found = f"no metric {metric!r}{did_you_mean(metric, metrics)}"
                todo = "name one that `explain` or docs/reference/metrics.md has"
                raise ByHistoryError(f"judge {column!r} as byhistory.toml says", found, todo)
        overrides += [Override(column, metric, mute=True) for metric in entries.mute]
        overrides += [
            Override(column, metric, low=ends.get("low", -math.inf), high=ends.get("high", math.inf))
            for metric, ends in entries.thresholds.items()
        ]
    return overrides


def pinned(config: TableConfig, kept: Iterable[Override], programs: Iterable[Program]) -> list[Override]:
    """The clauses that `byhistory.toml` pins, as they were `kept`; those not kept yet, as the programs have them.

    The file names a metric but has no clause: it means the one that was there when the entry was first read. A metric
    without a clause is pinned once there is one.

    >>> from byhistory.config import parse_config
    >>> from byhistory.constraints import Constraint
    >>> config = parse_config('columns.price.pin = ["mean"]').defaults
    >>> first = pinned(config, [], [Program("price", Kind.NUMERIC, (Constraint("mean", 1, 2),))])
    >>> later = pinned(config, first, [Program("price", Kind.NUMERIC, (Constraint("mean", 5, 9),))])
    >>> later == first, later[0].pin.high, pinned(TableConfig(), first, [])
    (True, 2, [])
    """
    named = {(column, metric) for column, entries in config.columns.items() for metric in entries.pin}
    now = [Override(p.column, c.metric, pin=c) for p in programs for c in p.clauses]
    found = {(o.column, o.metric): o for o in (*now, *kept)}
    wanted = [key for key in sorted(found) if key in named or ("*", key[1]) in named]
    return [found[key] for key in wanted]


def override_name(column: str, metric: str) -> str:
    """The name of the setting that keeps one override.

    >>> override_name("price", "mean")
    'override ["price", "mean"]'
    """
    return f"{OVERRIDE}{json.dumps([column, metric])}"


def kept_overrides(settings: Mapping[str, str]) -> list[Override]:
    """The overrides by command: one setting per override, and before them the one list of earlier releases.

    >>> names = [override_name("a", "mean"), override_name("b", "mean")]
    >>> old = to_text([Override("a", "mean", mute=True), Override("c", "mean", mute=True)])
    >>> kept = kept_overrides({"overrides": old, names[0]: "[]", names[1]: to_text([Override("b", "mean", mute=True)])})
    >>> [o.column for o in kept]
    ['c', 'b']
    """
    own = {name: from_text(text) for name, text in settings.items() if name.startswith(OVERRIDE)}
    old = from_text(settings[_LIST]) if _LIST in settings else []
    kept = [o for o in old if override_name(o.column, o.metric) not in own]
    return [*kept, *(o for some in own.values() for o in some)]


def to_text(overrides: Iterable[Override]) -> str:
    """Overrides as JSON, to be stored."""
    return json.dumps([_to_dict(o) for o in overrides])


def from_text(text: str) -> list[Override]:
    """The overrides in such a text; a clear error for any other text."""
    try:
        return [_from_dict(body) for body in json.loads(text)]
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as why:
        todo = "set it again: `byhistory mute`, `threshold`, `pin` or `unset` writes it anew"
        raise ByHistoryError("read what was decided about a metric", f"text that says nothing ({why})", todo) from why


def about_what(name: str) -> tuple[str, str]:
    """The column and the metric that the name of such a setting has; a clear error for another name.

    >>> about_what(override_name("price", "mean"))
    ('price', 'mean')
    """
    try:
        column, metric = json.loads(name.removeprefix(OVERRIDE))
        if name == override_name(column, metric) and isinstance(column, str) and isinstance(metric, str):
            return column, metric
    except (ValueError, TypeError, RecursionError):
        pass
    todo = "name the setting by a column and a metric, as byhistory does"
    raise ByHistoryError("read what was decided about a metric", f"the name {name[:80]!r}", todo)


def checked_overrides(name: str, text: str) -> None:
    """Raise an error for a setting of overrides that cannot be read, or is about something else than its name says."""
    decided = from_text(text)
    if not name.startswith(OVERRIDE):
        return
    place = about_what(name)
    if any((o.column, o.metric) != place or (o.pin is not None and o.pin.metric != o.metric) for o in decided):
        found = f"something about another metric than {place[1]!r} of {place[0]!r}"
        raise ByHistoryError("read what was decided about a metric", found, "name it by its own column and metric")


def is_of_overrides(name: str) -> bool:
    """Whether a setting of this name keeps one override, or a list of them."""
    return name.startswith(OVERRIDE) or name in (PINS, _LIST)


def _to_dict(override: Override) -> dict[str, Any]:
    pin = None
    if override.pin is not None:  # kept as a program of one clause, so that there is one form to read
        pin = json.loads(to_json(Program(override.column, Kind.NUMERIC, (override.pin,))))
    ends = {k: v for k, v in (("low", override.low), ("high", override.high)) if math.isfinite(v)}
    return {"column": override.column, "metric": override.metric, "mute": override.mute, **ends, "pin": pin}


def _from_dict(body: dict[str, Any]) -> Override:
    pin = from_json(json.dumps(body["pin"])).clauses[0] if body.get("pin") else None
    ends = {k: float(body[k]) for k in ("low", "high") if k in body}
    column, metric, mute = body["column"], body["metric"], body.get("mute", False)
    if not (isinstance(column, str) and isinstance(metric, str) and isinstance(mute, bool)):
        raise TypeError("a column, a metric or a mute of another type")
    if any(math.isnan(end) for end in ends.values()):
        raise ValueError("an end that is no number")  # Nothing would be below it, and nothing above.
    return Override(column, metric, mute, pin=pin, **ends)
