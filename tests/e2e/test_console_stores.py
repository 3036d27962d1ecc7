"""The console over the stores that a team has: two people at once, many tables at once, and jobs beside it."""

from __future__ import annotations

import re
import socket
import threading
import urllib.request
from html import unescape

import pytest
from tests.e2e.conftest import address
from tests.e2e.test_console_browser import wait
from tests.unit.web.consoles import TODAY, client, guard_of, label, next_day, seal_of, seen_of, sign_in, with_accounts

from byhistory.config import Config
from byhistory.validator import Validator
from byhistory.web.links import link

pytestmark = pytest.mark.slow
RUN = link("/run", t="orders", r=TODAY)


@pytest.fixture(params=["sqlite", "postgres", "directory"])
def kept(request):
    where = address(request.param, request)
    with guard_of(("orders", "refunds"), where) as guard:
        yield guard, where


def test_a_team_decides_over_a_store_that_jobs_write_to(kept, tmp_path):
    guard, where = kept
    with client(guard, with_accounts(tmp_path)) as opened:
        sign_in(opened, "decide")
        page = opened.get(RUN).text
        words = ("accept", "reject")
        told: dict[str, int] = {}
        together = threading.Barrier(len(words))

        def say(what: str) -> None:
            form = {"seal": seal_of(page), "seen": seen_of(page), "what": what, "why": f"{what} it"}
            together.wait(30)
            told[what] = opened.post(link("/decide", t="orders", r=TODAY), data=form).status_code

        people = [threading.Thread(target=say, args=(what,)) for what in words]
        for one in people:
            one.start()
        for one in people:
            one.join(60)
        assert sorted(told.values()) == [303, 409]  # the second is told of the first
        (said,) = guard.store.decisions("orders")
        assert told[said.what] == 303

        day = opened.get("/day").text
        runs = [unescape(v) for v in re.findall(r'name="run" value="([^"]+)"', day)]
        assert len(runs) == 2
        done = opened.post("/many", data={"seal": seal_of(day), "run": runs, "what": "new normal", "why": "cents"}).text
        assert "Answered 2 tables" in done
        assert opened.app.state.console.learning.wait(60)

        watch, before = opened.app.state.console.watch, opened.app.state.console.watch.number
        with Validator(where, config=Config()) as job:  # beside the console, over its own connection
            assert next_day(job, "refunds").ok
        watch.look()
        assert [(c.table, c.run) for c in watch.changes(before)][-1:] == [("refunds", label(11))]
        budget = {"seal": seal_of(day), "what": "budget", "budget": "0.02"}
        assert opened.post(link("/setting", t="orders"), data=budget).status_code == 303
        with Validator(where, config=Config()) as job:
            assert job.guarded("orders").config.budget == 0.02


def test_who_sends_slowly_keeps_nobody_else_waiting(served):
    _, url = served
    place = ("127.0.0.1", int(url.rpartition(":")[2]))
    slow = [socket.create_connection(place, timeout=10) for _ in range(100)]
    try:
        for line in slow:
            line.sendall(b"POST /signin HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 90000\r\n\r\ntoken=")
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        def answers() -> bool:
            with direct.open(f"{url}/healthz", timeout=5) as answer:
                return bool(answer.read() == b"ok\n")

        assert wait(answers, 10)
    finally:
        for line in slow:
            line.close()
