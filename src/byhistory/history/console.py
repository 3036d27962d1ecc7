"""The past behind a console: every call is one request, and only the console has the database's password."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from byhistory.errors import StoreError
from byhistory.history.record import Decision, Programs, Run, RunLine, Setting, TableLine
from byhistory.history.store import Store
from byhistory.history.wire import packed, unpacked

TOKEN = "BYHISTORY_TOKEN"  # noqa: S105 - the name of the variable, not a token
_WAIT = 120.0
"""Seconds to wait for an answer, by choice: a slow answer of a busy console is better than none."""
_LOCAL = ("localhost", "127.0.0.1", "::1")


def open_console(url: str) -> Store:
    """The store that the console at an address serves; the token comes from the environment only."""
    parts = urlsplit(url)
    asked = f"use the console {parts.scheme}://{parts.hostname}"
    if parts.username or parts.password:
        raise StoreError(asked, "a name or password in the address", f"put a token into {TOKEN}")
    if parts.scheme != "https" and parts.hostname not in _LOCAL:
        raise StoreError(asked, "an address without https", "use https, so that nobody reads the token")
    store = ConsoleStore(url.rstrip("/"), os.environ.get(TOKEN, ""))
    store.states()  # fails at once if something is wrong
    return store


class ConsoleStore(Store):
    """A store that asks a console. It is a class because stores are; it holds an address and a token, no connection."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        self._key: bytes | None = None
        # A proxy of this machine is meant for other hosts.
        is_local = urlsplit(url).hostname in _LOCAL
        handlers = [urllib.request.ProxyHandler({})] if is_local else []
        self._opener = urllib.request.build_opener(*handlers)

    def __repr__(self) -> str:
        return f"<store {self._url}>"

    def _call(self, method: str, /, **arguments: Any) -> Any:
        body = json.dumps({"method": method, "arguments": {k: packed(v) for k, v in arguments.items()}}).encode()
        request = urllib.request.Request(  # noqa: S310 - http or https, see open_console
            f"{self._url}/api/v1/store",
            body,
            {"content-type": "application/json", "authorization": f"Bearer {self._token}"},
            method="POST",
        )
        asked = f"ask the console {self._url}"
        try:
            with self._opener.open(request, timeout=_WAIT) as answer:
                return unpacked(json.load(answer)["value"])
        except urllib.error.HTTPError as why:
            raise _refused(asked, why) from None
        except (OSError, ValueError, LookupError) as why:
            todo = "see whether the console runs and its address is right"
            raise StoreError(asked, f"no answer ({getattr(why, 'reason', why)})", todo) from why

    def key(self) -> bytes:
        if self._key is None:
            self._key = bytes(self._call("key"))
        return self._key

    def tables(self) -> list[str]:
        return list(self._call("tables"))

    def overview(self) -> list[TableLine]:
        return list(self._call("overview"))

    def runs(self, table: str, last: int | None = None) -> list[RunLine]:
        return list(self._call("runs", table=table, last=last))

    def state(self, table: str) -> str:
        return str(self._call("state", table=table))

    def states(self) -> dict[str, str]:
        return dict(self._call("states"))

    def record(self, run: Run, programs: Programs | None = None, seen: str | None = None) -> bool:
        return bool(self._call("record", run=run, programs=programs, seen=seen))

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        chosen = None if columns is None else list(columns)
        return list(self._call("load", table=table, runs=list(runs), columns=chosen))

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        return dict(self._call("measures", table=table, runs=None if runs is None else list(runs)))

    def programs(self, table: str) -> Programs | None:
        found: Programs | None = self._call("programs", table=table)
        return found

    def save_programs(self, programs: Programs, seen: str | None = None) -> bool:
        return bool(self._call("save_programs", programs=programs, seen=seen))

    def decide(self, decision: Decision) -> Decision:
        kept: Decision = self._call("decide", decision=decision)
        return kept

    def decisions(self, table: str) -> list[Decision]:
        return list(self._call("decisions", table=table))

    def settings(self, table: str) -> dict[str, Setting]:
        return dict(self._call("settings", table=table))

    def setting_changes(self, table: str) -> list[Setting]:
        return list(self._call("setting_changes", table=table))

    def put_setting(self, setting: Setting) -> None:
        self._call("put_setting", setting=setting)

    def forget(self, table: str, run: str) -> bool:
        return bool(self._call("forget", table=table, run=run))

    def close(self) -> None:
        """Nothing is held open."""


def _refused(asked: str, why: urllib.error.HTTPError) -> StoreError:
    """The error that the console answered with, in its own three sentences if it did."""
    try:
        answer = json.load(why)
        return StoreError(str(answer["asked"]), str(answer["found"]), str(answer["todo"]))
    except (ValueError, LookupError, TypeError, OSError):
        return StoreError(asked, f"the status {why.code}", "see whether a console of this version is there")
