"""A kept program is derived, never trusted; a decision is bound to the data that it is about."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from byhistory.config import Config
from byhistory.errors import ByHistoryError
from byhistory.history import Decision, Setting
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.validator.decided import decision_of
from byhistory.validator.memory import Memory
from byhistory.validator.provenance import learned_from

START = datetime(2026, 9, 1, tzinfo=timezone.utc)


def label(day):
    return str((START + timedelta(days=day)).date())


def run(day, times=1.0):
    random = np.random.default_rng(abs(day))  # noqa: TID251 - a test names its seed
    return profile_table({"amount": times * random.gamma(9.0, 10.0, 300)}, run=label(day))


@pytest.fixture
def guard():
    with Validator("memory:", config=Config(), clock=lambda: START) as made:
        made.remember([run(day) for day in range(20)], "orders")
        yield made


def digest(guard, before):
    config = guard.config.table("orders")
    return learned_from(Memory.of(guard.store, "orders", before, config), config, guard.metrics)


def test_what_was_learned_with_a_run_is_used_for_the_next(guard):
    assert guard.store.programs("orders").learned_from == digest(guard, label(20))
    assert guard.judge(run(20), "orders").ok
    assert guard.store.programs("orders").learned_from == digest(guard, label(21))


def test_a_rejection_that_nobody_learned_from_is_learned_before_the_next_run(guard):
    guard.judge(run(20, 100.0), "orders")
    guard.decisions.accept("orders", label(20))
    before = guard.store.programs("orders")
    guard.store.decide(Decision("orders", label(20), "reject", "ann", START))  # As by one killed before it relearned.
    guard.store.save_programs(before)  # As by one that was between learning and storing.
    assert not guard.judge(run(21, 100.0), "orders").ok


def test_programs_are_not_kept_if_a_decision_came_while_they_were_learned(guard):
    seen = guard.store.state("orders")
    guard.store.decide(Decision("orders", label(19), "reject", "ann", START))
    assert guard.store.save_programs(guard.store.programs("orders"), seen) is False


def test_programs_that_cannot_be_read_are_learned_again(guard):
    kept = guard.store.programs("orders")
    broken = dict.fromkeys(kept.by_column, '{"byhistory_program": 1, "colu')
    guard.store.save_programs(type(kept)(kept.table, kept.as_of_run, kept.at, broken, kept.learned_from))
    assert guard.learning.programs("orders")["amount"].clauses
    assert not guard.judge(run(20, 100.0), "orders").ok


def test_a_retry_of_data_that_were_accepted_passes_and_other_data_do_not(guard):
    assert not guard.judge(run(20, 100.0), "orders").ok
    assert not guard.judge(run(20, 100.0), "orders").ok, "nobody has decided anything yet"
    guard.decisions.accept("orders", label(20), who="ann")
    again = guard.judge(run(20, 100.0), "orders")
    assert again.ok
    assert "(accepted by ann)" in str(again) or any("accepted by ann" in f.sentence for f in again.findings)
    assert guard.store.runs("orders")[-1].decision.what == "accept"
    assert not guard.judge(run(20, 90.0), "orders").ok
    assert guard.store.runs("orders")[-1].decision is None
    assert guard.judge(run(20), "orders").ok


@pytest.mark.parametrize("what", [{}, {"usual": True}, {"new_normal": True}], ids=["accept", "usual", "new normal"])
def test_what_was_said_last_holds_when_data_are_delivered_again(guard, what):
    guard.judge(run(20, 100.0), "orders")
    guard.decisions.accept("orders", label(20), who="ann", **what)
    guard.decisions.reject("orders", label(20), who="bob")
    assert not guard.judge(run(20, 100.0), "orders").ok
    guard.decisions.accept("orders", label(20), who="ann", **what)
    guard.decisions.snooze("orders", label(20), label(21))
    assert guard.judge(run(20, 100.0), "orders").ok, "a snooze takes nothing back"


def test_data_that_were_rejected_stop_when_they_are_delivered_again_though_nothing_is_odd(guard):
    assert guard.judge(run(20), "orders").ok
    guard.decisions.reject("orders", label(20), why="half of the shops", who="bob")
    again = guard.judge(run(20), "orders")
    (rejected,) = (f.sentence for f in again.findings if f.stops)
    assert rejected == "the same data as bob rejected: half of the shops; `byhistory undo` takes that back"
    assert guard.judge(run(20, 1.001), "orders").ok, "other data"
    guard.judge(run(20), "orders")
    guard.decisions.undo("orders", label(20))
    assert guard.judge(run(20), "orders").ok


def test_a_run_that_passes_as_learning_though_many_come_after_it_says_so_every_time(guard):
    for times in (1.0, 100.0, 100.0):
        judged = guard.judge(run(-1, times), "orders")
        assert judged.level == "warn"
        assert ["and is judged by only 0 before it" in f.sentence for f in judged.findings] == [True]


def test_a_retry_that_reads_its_rows_in_another_order_keeps_its_decision(guard):
    random = np.random.default_rng(5)  # noqa: TID251 - a test names its seed
    rows = 100.0 * random.gamma(9.0, 10.0, 3_000)
    assert not guard.judge(profile_table({"amount": rows}, run=label(20)), "orders").ok
    guard.decisions.accept("orders", label(20))
    for order in (np.sort(rows), rows[::-1], random.permutation(rows)):
        assert guard.judge(profile_table({"amount": order}, run=label(20)), "orders").ok
    rows[7] *= 1.01
    assert not guard.judge(profile_table({"amount": rows}, run=label(20)), "orders").ok, "other data"


def test_a_decision_on_a_run_that_is_delivered_anew_meanwhile_is_refused(guard):
    guard.judge(run(20, 100.0), "orders")
    accepted, _ = decision_of(guard.guarded("orders"), label(20), "accept")
    guard.judge(run(20, 90.0), "orders")
    with pytest.raises(ByHistoryError, match="recorded anew"):
        guard.store.decide(accepted)
    guard.judge(run(20, 100.0), "orders")
    guard.store.decide(accepted)  # The same data as were looked at, once more.


def test_an_undo_takes_back_what_was_there_to_take_back_and_nothing_said_since(guard):
    guard.judge(run(20, 100.0), "orders")
    guard.decisions.accept("orders", label(20), who="ann")
    undone, _ = decision_of(guard.guarded("orders"), label(20), "undo")
    guard.store.decide(Decision("orders", label(20), "reject", "bob", START))
    guard.store.decide(undone)
    guard.store.decide(undone)  # Of two at once the second has nothing left to take back.
    assert guard.store.runs("orders")[-1].decision.who == "bob"
    guard.decisions.undo("orders", label(20))
    assert guard.store.runs("orders")[-1].decision is None


def test_an_undo_of_an_earlier_release_takes_back_what_was_last(guard):
    for what in ("accept", "reject", "undo"):
        guard.store.decide(Decision("orders", label(19), what, "ann", START))
    assert guard.store.runs("orders")[-1].decision.what == "accept"


def test_the_clock_of_a_job_does_not_undo_a_decision(guard):
    ahead = Validator(guard.store, config=Config(), clock=lambda: START + timedelta(minutes=3))
    ahead.judge(run(20, 100.0), "orders")
    guard.decisions.accept("orders", label(20))
    assert guard.store.runs("orders")[-1].decision.what == "accept"
    assert Memory.of(guard.store, "orders").runs[-1].run == label(20)


def test_a_new_normal_ends_with_the_data_that_it_is_about(guard):
    guard.judge(run(20, 100.0), "orders")
    guard.decisions.accept("orders", label(20), new_normal=True)
    assert Memory.of(guard.store, "orders").lessons.levels
    guard.judge(run(20), "orders")
    assert not Memory.of(guard.store, "orders").lessons.levels


def test_a_decision_that_nobody_knows_is_no_reason_to_learn(guard):
    guard.store.decide(Decision("orders", label(19), "of a later release", "ann", START))
    assert Memory.of(guard.store, "orders").runs[-1].run == label(18)


def test_every_override_is_a_row_of_its_own_beside_those_of_earlier_releases(guard):
    old = '[{"column": "amount", "metric": "max", "mute": true, "pin": null}]'
    guard.store.put_setting(Setting("orders", "overrides", old, "ann", START))
    guard.overrides.mute("orders", "amount", "mean")
    guard.overrides.set_threshold("orders", "amount", "min", low=0.0)
    assert [o.metric for o in guard.overrides.of("orders")] == ["max", "mean", "min"]
    assert sum(name.startswith("override ") for name in guard.store.settings("orders")) == 2
    guard.overrides.clear("orders", "amount", "max")
    guard.overrides.clear("orders", "amount", "mean")
    assert [o.metric for o in guard.overrides.of("orders")] == ["min"]
    with pytest.raises(ByHistoryError, match="name a metric that it has"):
        guard.overrides.pin("orders", "amount", "nothing")


def test_a_run_that_comes_before_most_others_is_warned_about(guard):
    found = [f for f in guard.judge(run(-1), "orders").findings if f.about == "run order"]
    assert [f.level for f in found] == ["warn"]
    assert "before 20 that are there already (2026-09-01 to 2026-09-20)" in found[0].sentence
    assert not [f for f in guard.judge(run(20), "orders").findings if f.about == "run order"]


def test_labels_that_cannot_be_ordered_are_told_of_at_the_first_run(guard):
    first = guard.judge(profile_table({"n": [1]}, run="03/04/2026"), "other")
    assert [f.about for f in first.findings] == ["run order"]
    assert first.ok
    assert not guard.judge(profile_table({"n": [1]}, run="04/04/2026"), "other").findings


def test_two_budgets_that_are_given_at_once_both_hold(guard, monkeypatch):
    put = guard.store.put_setting

    def raced(setting):
        monkeypatch.undo()
        guard.overrides.set_budget("orders", warn_budget=0.2)
        put(setting)

    monkeypatch.setattr(guard.store, "put_setting", raced)
    guard.overrides.set_budget("orders", 0.02)
    config = guard.guarded("orders").config
    assert (config.budget, config.warn_budget) == (0.02, 0.2)
    guard.overrides.clear_budget("orders")
    guard.overrides.set_budget("orders", warn_budget=0.3)
    assert guard.guarded("orders").config.budget == Config().table("orders").budget


def test_a_budget_that_cannot_be_read_is_an_error_until_it_is_said_again(guard):
    for text in ("[", "5", '{"budget": "x"}', '{"budget": 7}', "[" * 100_000):
        guard.store.put_setting(Setting("orders", "budget", text, "ann", START))
        with pytest.raises(ByHistoryError, match="read the budget"):
            guard.guarded("orders")
        guard.store.put_setting(Setting("orders", "budget", '{"budget": 0.02}', "ann", START))
        assert guard.guarded("orders").config.budget == 0.02
