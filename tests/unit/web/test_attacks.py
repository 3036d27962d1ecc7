"""Somebody who means harm, or sends nonsense: nothing is done, nothing is told, nothing breaks."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest
from tests.unit.web.consoles import (
    TODAY,
    TOKENS,
    behind_proxy,
    client,
    guard_of,
    seal_of,
    seen_of,
    sign_in,
    with_accounts,
)
from tests.unit.web.test_console import address

from byhistory.web.app import POLICY
from byhistory.web.links import MOST_FIELDS, link

NONSENSE = (
    "%ff",
    "%00",
    "%ed%a0%80",
    "x" * 5_000,
    "../../etc/passwd",
    "%0d%0aX:1",
    "9999-12-31",
    "0001-01-01",
    "٣",
    "*",
)
AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def guard():
    return guard_of()


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_in_an_address_or_a_form_is_an_answer_and_no_crash(guard, text):
    before = guard.store.decisions("orders")
    with client(guard) as opened:
        page = opened.get(address("/run")).text
        for path in (
            *("/?q=", "/?p=", "/?state=", "/day?d=", "/table?t=", "/run?t=orders&r=", "/column?t=orders&c="),
            *("/column?t=orders&c=amount&m=", "/preview?t=orders&what=mute&place=", "/backtest?t=", "/signin?to="),
            *("/api/v1/table?table=", "/api/v1/verdict?table=orders&run=", "/static/"),
        ):
            assert opened.get(path + text).status_code < 500, path
        for path, form in (
            ("/decide", f"t=orders&r={text}&what=accept&seen={seen_of(page)}"),
            ("/decide", f"t=orders&r={TODAY}&what=accept&seen={seen_of(page)}&column=c%3D{text}"),
            ("/many", f"what=accept&run={text}"),
            ("/setting", f"t=orders&what=mute&place={text}"),
            ("/setting", f"t=orders&what=threshold&c=amount&m=mean&low={text}"),
            ("/setting", f"t=orders&what=budget&budget={text}"),
            ("/signin", f"token={text}"),
        ):
            answer = opened.post(path, content=f"{form}&seal={seal_of(page)}", headers=FORM)
            assert answer.status_code < 500, (path, form)
    assert [d for d in guard.store.decisions("orders") if d not in before] == []


def test_too_many_fields_and_too_much_text_are_refused(guard, tmp_path):
    with client(guard, with_accounts(tmp_path)) as opened:
        sign_in(opened, "decide")
        seal = seal_of(opened.get("/run?t=orders").text)
        many = "&".join([f"seal={seal}", *["run=1"] * MOST_FIELDS])
        assert opened.post("/many", content=many, headers=FORM).status_code == 400
        assert opened.post("/many", content=b"x" * 2_000_001, headers=FORM).status_code == 413
        token = {"authorization": f"Bearer {TOKENS['read']}"}
        assert opened.post("/api/v1/preview", content=b"x" * 2_000_001, headers=token).status_code == 413
        for body in (
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b"\xff",
            b"null",
            b'{"method": "put_setting", "arguments": {"setting": 3}}',
        ):
            for path in ("preview", "store"):
                token = {"authorization": f"Bearer {TOKENS['decide']}"}
                assert opened.post(f"/api/v1/{path}", content=body, headers=token).status_code == 400, (path, body[:9])


def test_no_json_of_the_api_acts_on_who_shows_it(tmp_path):
    name = "a ::stop-commands::x ##[error]"
    with client(guard_of((name,)), with_accounts(tmp_path)) as opened:
        token = {"authorization": f"Bearer {TOKENS['read']}"}
        told = [
            opened.get("/api/v1/tables", headers=token),
            opened.get("/api/v1/runs?table=\u202e%20::x", headers=token),
        ]
    assert [answer.status_code for answer in told] == [200, 404]
    assert name in json.dumps(told[0].json())
    for answer in told:
        assert answer.text.isascii()
        assert " ::" not in answer.text
        assert "##[" not in answer.text


def test_what_is_nowhere_and_what_breaks_is_a_page_with_the_policy(guard, monkeypatch):
    with client(guard) as opened:
        for path in ("/nowhere", "/static/../../etc/passwd", "/static/%2e%2e%2fapp.py", "/static/%2fetc%2fpasswd"):
            answer = opened.get(path)
            assert answer.status_code == 404
            assert answer.headers["content-security-policy"] == POLICY
        named = opened.get("/<script>").text
        assert "no such page" in named
        assert "<script>" not in named
        assert opened.post("/day").status_code == 405
        assert opened.get("/api/v1/nothing").json()["found"] == "no such page"

        def broken():
            raise RuntimeError("a password in a message")

        monkeypatch.setattr(opened.app.state.console.watch, "standings", broken)
        answer = opened.get("/")
        assert answer.status_code == 500
        assert answer.headers["content-security-policy"] == POLICY
        assert "RuntimeError" in answer.text
        assert "password" not in answer.text
        assert opened.get("/api/v1/tables").json()["todo"]


@pytest.mark.parametrize("path", ["/decide", "/many", "/setting"])
def test_a_form_of_another_site_does_nothing(guard, path):
    before = guard.store.state("orders")
    with client(guard) as opened:
        page = opened.get(address("/run")).text
        given = {"seen": seen_of(page), "what": "accept", "m": "mean", "c": "amount", "run": f"t=orders&r={TODAY}"}
        to = link(path, t="orders", r=TODAY)
        assert opened.post(to, data=given).status_code == 403
        assert opened.post(to, data={**given, "seal": "0" * 64}).status_code == 403
        sealed = {**given, "seal": seal_of(page)}
        assert opened.post(to, data=sealed, headers={"origin": "https://evil.example"}).status_code == 403
        assert opened.post(to, data=sealed, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert guard.store.state("orders") == before


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:1"])
def test_signing_in_leads_nowhere_else(guard, tmp_path, to):
    with client(guard, with_accounts(tmp_path)) as opened:
        seal = seal_of(opened.get("/signin").text)
        done = opened.post("/signin", data={"seal": seal, "token": TOKENS["read"], "to": to})
        assert done.headers["location"] == "/"


def test_a_cookie_that_somebody_changed_is_none(guard, tmp_path):
    with client(guard, with_accounts(tmp_path)) as opened:
        sign_in(opened, "read")
        kept = opened.cookies["byhistory"]
        assert opened.get("/").status_code == 200
        body, _, mark = kept.rpartition(".")
        for forged in (f"{body}.{'0' * 64}", f"x{body}.{mark}", "", ".", "ÿ.ÿ"):
            opened.cookies.clear()
            header = f"byhistory={forged}".encode("latin-1", "replace")
            assert opened.get("/", headers={"cookie": header}).status_code == 303


def test_guessing_tokens_has_to_wait(guard, tmp_path):
    with client(guard, with_accounts(tmp_path)) as opened:
        seal = seal_of(opened.get("/signin").text)
        tried = [opened.post("/signin", data={"seal": seal, "token": f"guess {i}"}).status_code for i in range(8)]
        assert tried == [403] * 5 + [429] * 3
        right = opened.post("/signin", data={"seal": seal, "token": TOKENS["read"]})
        assert right.status_code == 429
        assert int(right.headers["retry-after"]) > 0


def test_who_guesses_behind_the_proxy_locks_out_nobody_else(guard, tmp_path):
    with client(guard, behind_proxy(tmp_path), client=("10.0.0.7", 1)) as opened:
        seal = seal_of(opened.get("/signin").text)

        def tried(token: str, said: str) -> int:
            form = {"seal": seal, "token": token}
            return opened.post("/signin", data=form, headers={"x-forwarded-for": said}).status_code

        assert [tried(f"guess {i}", f"192.0.2.{i}, 198.51.100.1") for i in range(7)] == [403] * 5 + [429] * 2
        assert tried(TOKENS["read"], "198.51.100.2") == 303
    with client(guard, behind_proxy(tmp_path), client=("10.0.0.8", 1)) as opened:  # no proxy that is trusted
        seal = seal_of(opened.get("/signin").text)
        assert [tried(f"guess {i}", f"192.0.2.{i}") for i in range(7)] == [403] * 5 + [429] * 2
