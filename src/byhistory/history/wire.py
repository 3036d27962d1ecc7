"""The calls of a store as JSON, for the way through the network, and back."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from byhistory.errors import StoreError
from byhistory.history.record import Decision, Programs, Run, RunLine, Setting, TableLine

_RECORDS: dict[str, type[Any]] = {c.__name__: c for c in (Run, RunLine, Decision, Programs, Setting, TableLine)}
READS = ("tables", "overview", "runs", "state", "states", "load", "measures", "programs", "decisions", "settings")
"""Methods that change nothing."""
READS_ALL = (*READS, "setting_changes")
RECORDS = ("key", "record", "save_programs")
"""Methods that a job calls; it needs the key to make digests."""
DECIDES = ("decide", "put_setting", "forget")
"""Methods that record what a person decides."""


def packed(value: Any) -> Any:  # noqa: PLR0911 - one branch for each mark
    """A value as JSON knows it: bytes, times, records and tuples are marked.

    >>> unpacked(packed({"at": b"x", "many": ("a", 1)}))
    {'at': b'x', 'many': ('a', 1)}
    """
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return {"$time": value.isoformat()}
    if type(value).__name__ in _RECORDS and type(value) is _RECORDS[type(value).__name__]:
        return {"$record": type(value).__name__, "fields": {f: packed(getattr(value, f)) for f in value.__slots__}}
    if isinstance(value, tuple):
        return {"$tuple": [packed(v) for v in value]}
    if isinstance(value, list):
        return [packed(v) for v in value]
    if isinstance(value, Mapping):  # as pairs: a name may be any text, also one that is a mark of ours
        return {"$map": [[k, packed(v)] for k, v in value.items()]}
    return value


def unpacked(value: Any) -> Any:
    """The value that `packed` was given; an error for anything else."""
    try:
        return _unpacked(value)
    except (ValueError, TypeError, LookupError, AttributeError) as why:
        raise StoreError("read a record from the network", f"what is none ({why})", "use the same version") from why


def _unpacked(value: Any) -> Any:  # noqa: PLR0911 - one branch for each mark
    if isinstance(value, list):
        return [_unpacked(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "$bytes" in value:
        return base64.b64decode(value["$bytes"], validate=True)
    if "$time" in value:
        return datetime.fromisoformat(value["$time"])
    if "$tuple" in value:
        return tuple(_unpacked(v) for v in value["$tuple"])
    if "$map" in value:
        return {k: _unpacked(v) for k, v in value["$map"]}
    form = _RECORDS[value["$record"]]
    return form(**{name: _unpacked(v) for name, v in value["fields"].items()})
