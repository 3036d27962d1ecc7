"""The user's decisions about programs, as the configuration and the store keep them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from byhistory.config import TableConfig
from byhistory.profile import Kind
from byhistory.program import Override, Program, from_json, to_json


def from_config(config: TableConfig) -> list[Override]:
    """What `byhistory.toml` says of a table: muted metrics and thresholds."""
    overrides = []
    for column, entries in config.columns.items():
        overrides += [Override(column, metric, mute=True) for metric in entries.mute]
        overrides += [
            Override(column, metric, low=ends.get("low", -math.inf), high=ends.get("high", math.inf))
            for metric, ends in entries.thresholds.items()
        ]
    return overrides


def to_text(overrides: Iterable[Override]) -> str:
    """As JSON, to keep."""
    return json.dumps([_to_dict(o) for o in overrides])


def from_text(text: str) -> list[Override]:
    """The same back."""
    return [_from_dict(body) for body in json.loads(text)]


def _to_dict(override: Override) -> dict[str, Any]:
    pin = None
    if override.pin is not None:  # kept as a program of one clause, so that there is one form to read
        pin = json.loads(to_json(Program(override.column, Kind.NUMERIC, (override.pin,))))
    ends = {k: v for k, v in (("low", override.low), ("high", override.high)) if math.isfinite(v)}
    return {"column": override.column, "metric": override.metric, "mute": override.mute, **ends, "pin": pin}


def _from_dict(body: dict[str, Any]) -> Override:
    pin = from_json(json.dumps(body["pin"])).clauses[0] if body.get("pin") else None
    ends = {k: body[k] for k in ("low", "high") if k in body}
    return Override(body["column"], body["metric"], body.get("mute", False), pin=pin, **ends)
