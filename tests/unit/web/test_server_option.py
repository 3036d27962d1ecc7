"""Commands that ask a console instead of the store."""

from __future__ import annotations

import json
import urllib.request

import pytest
from tests.unit.web.consoles import TODAY, TOKENS, next_day, served

from byhistory.errors import StoreError
from byhistory.history import open_store
from byhistory.history.console import TOKEN
from byhistory.validator import Validator


@pytest.fixture(scope="module", name="served")
def fixture_served(tmp_path_factory):
    with served(tmp_path_factory.mktemp("console"), every=3_600.0) as found:
        yield found


def test_a_store_behind_a_console_answers_as_the_store_itself(served, monkeypatch):
    guard, url = served
    monkeypatch.setenv(TOKEN, TOKENS["decide"])
    with open_store(url) as there:
        here = guard.store
        assert there.key() == here.key()
        assert there.tables() == here.tables()
        assert there.overview() == here.overview()
        assert there.states() == here.states()
        assert there.runs("orders") == here.runs("orders")
        assert there.runs("orders", last=2) == here.runs("orders", last=2)
        assert there.load("orders", [TODAY]) == here.load("orders", [TODAY])
        assert there.load("orders", [TODAY], ()) == here.load("orders", [TODAY], ())
        assert there.measures("orders") == here.measures("orders")
        assert there.programs("orders") == here.programs("orders")
        assert there.settings("orders") == here.settings("orders")


def test_a_job_records_through_a_console_and_may_not_decide(served, monkeypatch):
    guard, url = served
    monkeypatch.setenv(TOKEN, TOKENS["job"])
    with Validator(url) as job:
        assert not next_day(job).ok
        assert guard.records.runs("orders")[-1].outcome == "stop"
        with pytest.raises(StoreError, match="the role job"):
            job.decisions.accept("orders", TODAY)
    monkeypatch.setenv(TOKEN, "bh_wrong")
    with pytest.raises(StoreError, match="no token that is known"):
        open_store(url)


def test_a_decision_through_a_console_is_signed_with_the_account(served, monkeypatch):
    guard, url = served
    monkeypatch.setenv(TOKEN, TOKENS["decide"])
    with Validator(url) as there:
        there.decisions.reject("orders", TODAY, who="somebody else", why="wrong unit")
    assert [(d.who, d.why) for d in guard.store.decisions("orders")] == [("decide", "wrong unit")]


@pytest.mark.parametrize("url", ["http://console.example", "https://ann:secret@console.example"])
def test_a_token_is_never_sent_in_the_clear(url):
    with pytest.raises(StoreError) as told:
        open_store(url)
    assert "secret" not in str(told.value)


def test_news_are_sent_as_they_happen(served, monkeypatch):
    _, url = served
    monkeypatch.setenv(TOKEN, TOKENS["decide"])
    with Validator(url) as there:
        there.decisions.accept("orders", TODAY, why="seen")
    headers = {"authorization": f"Bearer {TOKENS['read']}"}
    request = urllib.request.Request(f"{url}/events?after=0", headers=headers)  # noqa: S310 - our own server
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        told = next(line for line in stream if line.startswith(b"data:"))
    assert json.loads(told[5:])["table"] == "orders"
