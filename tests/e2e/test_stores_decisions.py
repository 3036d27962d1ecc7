"""Programs, decisions and settings, kept beside the runs by every store."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.e2e.records import AT, a_run, programs_of

from byhistory.errors import StoreError
from byhistory.history import Decision, Programs, Setting


def test_programs_are_kept_also_without_a_run(store):
    store.save_programs(programs_of(text="1"))
    store.save_programs(programs_of(text="2", as_of=""))
    store.save_programs(programs_of("other"))
    assert store.programs("orders") == programs_of(text="2", as_of="")
    store.record(a_run(), programs_of(text="3"))
    assert store.programs("orders") == programs_of(text="3")
    store.save_programs(Programs("orders", "4", AT, {}))
    assert store.programs("orders") == Programs("orders", "4", AT, {})
    assert store.programs("other") == programs_of("other")
    assert store.tables() == ["orders"], "the tables that have runs"


def test_decisions_are_kept_in_order_and_survive_a_replacement(store):
    store.record(a_run())
    store.record(a_run("2026-11-16"))
    said = [
        Decision("orders", "2026-11-15", "reject", "ann", AT, "half of it is missing", ("price", "a b/c’ü")),
        Decision("orders", "2026-11-16", "accept", "bob", AT, ""),
        Decision("orders", "2026-11-15", "new normal", "ann", AT - timedelta(days=1), "moved to euros, <b>ok</b>\n"),
    ]
    for decision in said:
        store.decide(decision)
    store.record(a_run(note="again"))
    assert store.decisions("orders") == said
    assert [line.decision for line in store.runs("orders")] == [said[2], said[1]]
    assert store.decisions("other") == []


def test_a_decision_holds_for_the_same_data_delivered_again_and_not_for_other_data(store):
    store.record(a_run())
    kept = store.decide(Decision("orders", "2026-11-15", "accept", "ann", AT - timedelta(days=9)))
    (line,) = store.runs("orders")
    assert line.decision == kept, "whatever the clocks say"
    assert (kept.record, kept.digest) == (line.id, line.digest)
    store.record(a_run(at=AT + timedelta(days=1), outcome="unusual", note="retried"))
    assert store.runs("orders")[0].decision == kept
    assert store.runs("orders")[0].id != kept.record
    store.record(a_run(columns={"price": b"other data"}))
    assert store.runs("orders")[0].decision is None
    assert store.decisions("orders") == [kept], "what was said stays to be read"
    store.record(a_run(rows=1235))
    assert store.runs("orders")[0].decision is None, "more rows with the same profiles are other data"
    store.record(a_run())
    assert store.runs("orders")[0].decision == kept


def test_a_decision_about_a_record_that_is_gone_is_refused(store):
    store.record(a_run())
    shown = store.runs("orders")[0]
    store.record(a_run(columns={"price": b"other data"}))
    about = Decision("orders", "2026-11-15", "accept", "ann", AT, record=shown.id, digest=shown.digest)
    with pytest.raises(StoreError, match=r"that the run was recorded anew.*look at '2026-11-15' again, then decide"):
        store.decide(about)
    assert store.decisions("orders") == []
    store.record(a_run())
    assert store.decide(about).record == store.runs("orders")[0].id, "the same data again: what was looked at"


def test_what_is_said_about_an_alarm_hides_no_decision_on_the_run(store):
    store.record(a_run())
    accepted = store.decide(Decision("orders", "2026-11-15", "accept", "ann", AT))
    snoozed = store.decide(Decision("orders", "2026-11-15", "snooze", "ann", AT, "", ("price",), "2026-12-01"))
    assert store.runs("orders")[0].decision == accepted
    assert store.decisions("orders") == [accepted, snoozed]
    assert store.decisions("orders")[1].until == "2026-12-01"
    unknown = store.decide(Decision("orders", "2026-11-15", "of a later release", "ann", AT))
    assert store.runs("orders")[0].decision == unknown, "who reads it decides what that means, and learns nothing"


def test_programs_learned_from_a_past_that_changed_meanwhile_are_not_kept(store):
    for change in (
        lambda: store.record(a_run()),
        lambda: store.decide(Decision("orders", "2026-11-15", "reject", "ann", AT)),
        lambda: store.put_setting(Setting("orders", "budget", "0.01", "bob", AT)),
        lambda: store.forget("orders", "2026-11-15"),
    ):
        seen = store.state("orders")
        assert store.save_programs(programs_of(text="before"), seen) is True
        assert store.state("orders") == seen, "programs change nothing that they are learned from"
        change()
        assert store.save_programs(programs_of(text="late"), seen) is False
        assert store.record(a_run("other", table="orders"), programs_of(text="late"), seen) is False
        store.forget("orders", "other")
        assert store.programs("orders") == programs_of(text="before")
    assert store.record(a_run(), programs_of(text="in time"), store.state("orders")) is False
    assert store.programs("orders") == programs_of(text="in time")


def test_programs_say_what_they_were_learned_from(store):
    store.save_programs(replace(programs_of(), learned_from="a digest"))
    assert store.programs("orders").learned_from == "a digest"


def test_a_decision_on_a_run_that_is_not_kept_is_refused(store):
    store.record(a_run())
    with pytest.raises(StoreError, match=r"Found: no run '2026-11-51' of 'orders' \(the last ones are '2026-11-15'\)"):
        store.decide(Decision("orders", "2026-11-51", "accept", "ann", AT))
    with pytest.raises(StoreError, match=r"no run '1' of 'nothing' \(it has no runs yet\)\. To go on: name a run"):
        store.decide(Decision("nothing", "1", "accept", "ann", AT))
    assert store.decisions("orders") == []


def test_the_last_setting_holds_and_all_changes_are_kept(store):
    changes = [
        Setting("orders", "overrides", '{"price": {"pinned": true}}', "ann", AT),
        Setting("orders", "budget", "0.01", "bob", AT),
        Setting("orders", "overrides", "{}", "bob", AT - timedelta(days=3)),
    ]
    for change in changes:
        store.put_setting(change)
    store.put_setting(Setting("other", "budget", "", "bob", AT))
    assert store.settings("orders") == {"overrides": changes[2], "budget": changes[1]}
    assert store.setting_changes("orders") == changes


def test_a_forgotten_run_is_gone_with_what_was_said_about_it(store):
    store.record(a_run("2026-11-14"))
    store.record(a_run(), programs_of())
    for run in ("2026-11-14", "2026-11-15"):
        store.decide(Decision("orders", run, "accept", "ann", AT))
    assert store.forget("orders", "2026-11-15") is True
    assert store.forget("orders", "2026-11-15") is False
    assert store.load("orders", ["2026-11-15"]) == []
    assert [line.run for line in store.runs("orders")] == ["2026-11-14"]
    assert [d.run for d in store.decisions("orders")] == ["2026-11-14"]
    assert store.programs("orders") == programs_of(), "they belong to the table"
    assert store.record(a_run()) is False
    store.forget("orders", "2026-11-15")
    store.forget("orders", "2026-11-14")
    assert store.tables() == []
