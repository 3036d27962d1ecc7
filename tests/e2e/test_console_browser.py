"""The console in a real browser: an alarm becomes the new normal, the next run passes live, two decide at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.e2e import browser
from tests.e2e.browser import Browser
from tests.unit.web.consoles import DAYS, TODAY, TOKENS, label, next_day

from byhistory.web.accounts import Account, digest_of, write_accounts

pytestmark = pytest.mark.slow


def wait(what: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)
    return found


def press(window: Browser, letters: str) -> None:
    keys = [{"type": kind, "value": key} for key in letters for kind in ("keyDown", "keyUp")]
    window.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})


def text(window: Browser) -> str:
    return str(window.run("return document.body.innerText"))


ENTER = "\ue007"


def test_an_alarm_becomes_the_new_normal_and_the_next_run_passes_live(window, served):
    guard, url = served
    window.size(1200, 900)
    window.requests()
    window.ask("POST", "/url", {"url": url})
    assert "Sign in" in text(window)
    press(window, TOKENS["decide"] + ENTER)  # the field has the focus
    wait(lambda: "1 alarm to answer" in text(window))

    press(window, "j" + ENTER)  # the first table leads to its alarm
    wait(lambda: f"Run {TODAY}" in text(window))
    assert "values multiplied by 100" in text(window)
    press(window, "n")
    told = wait(lambda: window.run("return document.querySelector('.verb[open] table.moved')?.innerText"))
    assert "amount" in told
    press(window, "cents from now on" + ENTER)
    wait(lambda: "new normal for amount by decide" in text(window))
    assert "cents from now on" in text(window)

    window.ask("POST", "/url", {"url": f"{url}/table?t=orders"})
    wait(lambda: TODAY in text(window))
    assert next_day(guard).ok  # recorded beside the console
    wait(lambda: label(DAYS + 1) in text(window))  # without a reload
    press(window, "?")
    assert window.run("return document.getElementById('keys').open")

    window.size(390, 844)
    for path in ("/", "/day", "/table?t=orders", f"/run?t=orders&r={TODAY}", "/column?t=orders&c=amount"):
        window.ask("POST", "/url", {"url": url + path})
        # Right after the load Chromium may still tell the width of the window before this one.
        wait(lambda: window.run("return document.documentElement.scrollWidth") <= 390)
    window.size(1200, 900)
    assert window.complaints() == []
    assert {u for u in window.requests() if not u.startswith((url, "data:"))} == set()
    window.ask("POST", "/url", {"url": "about:blank"})


def test_of_two_who_decide_at_once_the_second_is_told_of_the_first(window, served, tmp_path):
    guard, url = served
    names = ("ann", "bob")
    write_accounts(tmp_path / "accounts.txt", [Account(n, "decide", digest=digest_of(f"bh_{n}")) for n in names])
    page = f"{url}/run?t=orders&r={TODAY}"

    def enter(into: Browser, name: str) -> None:
        into.ask("POST", "/url", {"url": url})
        into.ask("DELETE", "/cookie")  # of whoever was signed in before
        into.ask("POST", "/url", {"url": url})
        into.run("document.querySelector('[type=password]').focus()")  # a second window may be without the focus
        press(into, f"bh_{name}{ENTER}")
        wait(lambda: "1 alarm to answer" in text(into))
        into.ask("POST", "/url", {"url": page})
        assert name in text(into)
        assert "Nothing was said about this run." in text(into)

    with browser.running() as other:  # a profile of its own, so that both are signed in
        enter(window, "ann")
        enter(other, "bob")
        press(other, "r")
        wait(lambda: other.run("return document.activeElement.name") == "why")
        press(other, "broken upstream")

        press(window, "a")
        wait(lambda: window.run("return document.activeElement.name") == "why")
        press(window, "a sale" + ENTER)
        wait(lambda: "accept by ann" in text(window))
        wait(lambda: not other.run("return document.querySelector('.news').hidden"))  # he is told …
        assert other.run("return document.activeElement.value") == "broken upstream"  # … and keeps what he wrote

        press(other, ENTER)
        wait(lambda: "That did not work" in text(other))
        assert "something was said or recorded since" in text(other)
        assert [(d.what, d.who, d.why) for d in guard.store.decisions("orders")] == [("accept", "ann", "a sale")]

        other.ask("POST", "/url", {"url": page})
        assert "accept by ann" in text(other)
        assert "a sale" in text(other)
        press(other, "r")  # he has seen it, and now his word counts
        wait(lambda: other.run("return document.activeElement.name") == "why")
        press(other, "it was no sale" + ENTER)
        wait(lambda: "reject by bob" in text(other))
        window.ask("POST", "/refresh", {})
        assert "reject by bob" in text(window)
        assert "accept by ann" in text(window)
    window.ask("POST", "/url", {"url": "about:blank"})
