"""Consoles to test: one table with an alarm, one without, and accounts of every role."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import uvicorn
from starlette.testclient import TestClient
from tests.histories import demo, demo_table, label

from byhistory.config import Config
from byhistory.demo.orders import INCIDENTS
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.web.access import Access, Proxy
from byhistory.web.accounts import Account, digest_of, write_accounts
from byhistory.web.app import console

DAYS = 10
TODAY = label(DAYS)
TOKENS = {role: f"bh_token-of-{role}" for role in ("read", "job", "decide")}
SECRET = b"of a console that lives as long as a test"


@cache
def _past() -> tuple[Any, Any]:
    """Profiles with few columns, so that learning is quick: the past, and the day on which amounts came in cents."""
    keep = ["amount", "country"]
    runs = [profile_table(demo_table(day), run=label(day), include=keep) for day in range(DAYS)]
    bad = profile_table(INCIDENTS["cents"][1](demo_table(DAYS)), run=TODAY, include=keep)
    return runs, bad


def guard_of(tables: tuple[str, ...] = ("orders",), store: str = "memory:", config: Config | None = None) -> Validator:
    guard = Validator(store, config=config or Config())
    runs, bad = _past()
    for table in tables:
        guard.remember(runs, table)
        guard.judge(bad, table)
    return guard


def next_day(guard: Validator, table: str = "orders", day: int = DAYS + 1, cents: bool = True) -> Any:
    rows = demo_table(day)
    rows = INCIDENTS["cents"][1](rows) if cents else rows
    return guard.judge(profile_table(rows, run=label(day), include=["amount", "country"]), table)


def accounts(folder: Path) -> Path:
    file = folder / "accounts.txt"
    write_accounts(file, [Account(role, role, digest=digest_of(token)) for role, token in TOKENS.items()])
    return file


@contextmanager
def client(guard: Validator, access: Access | None = None, **given: Any) -> Iterator[TestClient]:
    access = access or Access(local_user="ann", secret=SECRET)
    app = console(guard, access, every=3_600.0)
    with TestClient(app, base_url="http://localhost", follow_redirects=False, **given) as opened:
        app.state.console.watch.look()  # the first look has ended
        yield opened


def with_accounts(folder: Path, **more: Any) -> Access:
    return Access(accounts(folder), secret=SECRET, **more)


def behind_proxy(folder: Path) -> Access:
    return Access(accounts(folder), Proxy("x-user", ("10.0.0.7",)), secret=SECRET)


def seal_of(text: str) -> str:
    found = re.search(r'name="seal" value="([0-9a-f]+)"', text)
    assert found, text[:500]
    return found[1]


def seen_of(text: str) -> str:
    found = re.search(r'name="seen" value="([0-9a-f]+)"', text)
    assert found
    return found[1]


def sign_in(opened: TestClient, role: str) -> None:
    form = opened.get("/signin")
    done = opened.post("/signin", data={"seal": seal_of(form.text), "token": TOKENS[role], "to": "/"})
    assert done.status_code == 303


__all__ = ["demo"]


@contextmanager
def served(folder: Path, every: float) -> Iterator[tuple[Validator, str]]:
    """A console on a port of its own, for whom asks from outside of this process; looks at the store now and then."""
    guard = guard_of(store=f"sqlite:///{folder}/byhistory.db")
    app = console(guard, Access(accounts(folder), secret=SECRET), every=every)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    yield guard, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    app.state.console.watch.end()
    server.should_exit = True
    thread.join(20)
    guard.store.close()
