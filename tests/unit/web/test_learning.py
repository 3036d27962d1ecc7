"""Learning beside the pages: an answer is kept at once, and nothing is lost with the console."""

from __future__ import annotations

import threading

import pytest
from tests.unit.web import consoles
from tests.unit.web.consoles import TODAY, client, guard_of, seal_of, seen_of

from byhistory.validator import Learning
from byhistory.web.cache import Cache
from byhistory.web.links import link

RUN = link("/run", t="orders", r=TODAY)


def decide(opened, what):
    page = opened.get(RUN).text
    given = {"seal": seal_of(page), "seen": seen_of(page), "what": what}
    assert opened.post(link("/decide", t="orders", r=TODAY), data=given).status_code == 303


@pytest.fixture
def held(monkeypatch):
    """Learning that waits until it is let go."""
    let_go, begun = threading.Event(), threading.Event()
    guard = guard_of()
    learn = Learning.relearn

    def relearn(room, table):
        begun.set()
        assert let_go.wait(30)
        return learn(room, table)

    monkeypatch.setattr(Learning, "relearn", relearn)
    yield guard, begun, let_go
    let_go.set()


def test_an_answer_does_not_wait_for_what_is_learned_from_it(held):
    guard, begun, let_go = held
    with client(guard) as opened:
        before = guard.store.programs("orders").learned_from
        decide(opened, "new normal")
        assert begun.wait(30)
        assert [d.what for d in guard.store.decisions("orders")] == ["new normal"]
        assert guard.store.programs("orders").learned_from == before
        assert "Learning again" in opened.get(RUN).text
        assert "Learning again" in opened.get(link("/table", t="orders")).text
        let_go.set()
        assert opened.app.state.console.learning.wait(30)
        assert guard.store.programs("orders").learned_from != before
        assert "Learning again" not in opened.get(RUN).text


def test_a_console_that_ended_before_it_learned_loses_nothing(held):
    guard, begun, let_go = held
    with client(guard) as opened:
        decide(opened, "new normal")
        assert begun.wait(30)
        assert consoles.next_day(guard).ok  # the check learns by itself, whatever became of the console
        let_go.set()


def test_what_two_ask_for_at_once_is_made_once():
    cache, made, both = Cache(), [], threading.Barrier(2)

    def ask():
        both.wait(10)
        cache.get("a", lambda: made.append(1) or 1)

    work = [threading.Thread(target=ask) for _ in range(2)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join(10)
    assert made == [1]


def test_what_could_not_be_made_is_tried_again():
    cache = Cache()
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 2) == 2


def test_budgets_appear_as_they_are_measured():
    guard = guard_of()
    with client(guard) as opened:
        page = link("/backtest", t="orders")
        assert "of 6 budgets are done" in opened.get(page).text
        opened.app.state.console.replays._work.submit(lambda: None).result(60)  # those before it are done
        found = opened.get(page).text
        assert "budgets are done" not in found
        assert found.count('<th scope="row">') == 6
        assert "1 % (now)" in found
        assert "below 1 % of a table nothing is promised" in found
