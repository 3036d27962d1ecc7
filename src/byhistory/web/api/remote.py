"""A store's methods over the network, so that a job needs no password of the database."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from byhistory.history import Decision, Setting
from byhistory.history.wire import DECIDES, READS_ALL, RECORDS, packed, unpacked
from byhistory.web.api.received import received
from byhistory.web.asking import Asked, Refused, json_body

_NEEDS = {**dict.fromkeys(READS_ALL, "read"), **dict.fromkeys(RECORDS, "record"), **dict.fromkeys(DECIDES, "decide")}

_PROFILES = "load"
"""The method that gives whole profiles: not for accounts that may only read, and not see values."""


def call(asked: Asked) -> dict[str, Any]:
    """Call a method; decisions are signed with the name of the account, whatever the client says."""
    body = json_body(asked)
    method, given = body.get("method"), body.get("arguments", {})
    if method not in _NEEDS or not isinstance(given, dict):
        raise Refused(400, "call the store", f"the method {method!r}", f"use one of {', '.join(_NEEDS)}")
    if not asked.visitor.may(_NEEDS[method]):
        role = asked.visitor.account.role
        raise Refused(403, f"call {method}", f"the role {role}", f"use a token that may {_NEEDS[method]}")
    if method == _PROFILES and not (asked.visitor.account.sees_values or asked.visitor.may("record")):
        todo = "use a token that may see values, or the pages, which show none"
        raise Refused(403, f"call {method}", "profiles, which hold values where the store keeps them", todo)
    try:
        arguments = {name: _signed(received(unpacked(value)), asked.visitor.name) for name, value in given.items()}
        value = getattr(asked.guard.store, method)(**arguments)
    except (TypeError, AttributeError, ValueError, OverflowError) as why:  # arguments of another shape
        raise Refused(400, f"call {method}", f"other arguments ({why})", "use the same version on both sides") from why
    if _NEEDS[method] != "read" and isinstance(table := _table_of(arguments), str):
        asked.console.watch.look(table)
    return {"value": packed(value)}


def _signed(value: Any, who: str) -> Any:
    return replace(value, who=who) if isinstance(value, Decision | Setting) else value


def _table_of(arguments: dict[str, Any]) -> Any:
    return next((getattr(v, "table", None) or (v if n == "table" else None) for n, v in arguments.items()), None)
