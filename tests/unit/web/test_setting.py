"""Settings in the browser: budgets, mutes, pins and thresholds, in the words of the command line."""

from __future__ import annotations

import pytest
from tests.unit.web.consoles import TODAY, client, guard_of, seal_of
from tests.unit.web.test_console import address

from byhistory.web.links import link


@pytest.fixture(scope="module")
def guard():
    return guard_of()


def test_settings_are_changed_in_the_words_of_the_command_line(guard):
    with client(guard) as opened:
        page = opened.get(address("/table")).text
        given = {"seal": seal_of(page), "what": "threshold", "m": "mean", "low": "1", "high": "9", "c": "amount"}
        assert opened.post(link("/setting", t="orders"), data=given).status_code == 303
        assert "at least 1 and at most 9" in opened.get(address("/table")).text
        bad = opened.post(link("/setting", t="orders"), data={**given, "low": "x"})
        assert bad.status_code == 400
        assert opened.post(link("/setting", t="orders"), data={**given, "what": "unset"}).status_code == 303
    assert guard.overrides.of("orders") == []


def test_a_budget_is_seen_and_changed_and_judged_by():
    guard = guard_of()
    with client(guard) as opened:
        page = opened.get(address("/table")).text
        assert "stopped 1 % of the time" in page
        given = {"seal": seal_of(page), "what": "budget", "budget": "2 %", "warn_budget": "0.2", "why": "a quiet table"}
        assert opened.post(link("/setting", t="orders"), data=given).status_code == 303
        page = opened.get(address("/table")).text
        assert "stopped 2 % of the time, and stopped or warned about 20 %" in page
        assert "budget 2 %, warn budget 20 %" in page
        assert "a quiet table" in page
        for wrong in ("0", "1", "150 %", "nan", "many", "-1", ""):
            bad = {**given, "budget": wrong, "warn_budget": ""}
            assert opened.post(link("/setting", t="orders"), data=bad).status_code == 400, wrong
        assert guard.guarded("orders").config.budget == 0.02
        assert opened.app.state.console.learning.wait(30)
        learned = guard.learning.programs("orders")["amount"].table_budget
        assert opened.post(link("/setting", t="orders"), data={**given, "what": "unset budget"}).status_code == 303
        assert guard.guarded("orders").config.budget == 0.01
        assert opened.app.state.console.learning.wait(30)
        assert guard.learning.programs("orders")["amount"].table_budget == pytest.approx(learned / 2)


def test_a_mute_has_a_preview_a_reason_and_a_way_back(guard):
    with client(guard) as opened:
        place = link("", c="amount", m="mean").removeprefix("?")
        told = opened.get(link("/preview", t="orders", r=TODAY, what="mute", place=place)).text
        assert "judged without it" in told
        given = {"seal": seal_of(opened.get(address("/run")).text), "what": "mute", "place": place, "why": "known <i>"}
        assert opened.post(link("/setting", t="orders"), data=given).status_code == 303
        assert [(o.column, o.metric) for o in guard.overrides.of("orders")] == [("amount", "mean")]
        page = opened.get(address("/table")).text
        assert "mean of amount: muted" in page
        assert "known &lt;i&gt;" in page
        back = {**given, "what": "unset"}
        assert opened.post(link("/setting", t="orders"), data=back).status_code == 303
        wrong = {**given, "place": link("", c="amuont", m="mean").removeprefix("?")}
        assert "did you mean" in opened.post(link("/setting", t="orders"), data=wrong).text
    assert guard.overrides.of("orders") == []
