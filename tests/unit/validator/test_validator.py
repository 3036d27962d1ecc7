import dataclasses
from datetime import datetime, timedelta, timezone

import pytest

from byhistory.config import Config, TableConfig, parse_config
from byhistory.demo import INCIDENTS, orders
from byhistory.demo.orders import FIRST_DAY
from byhistory.errors import ByHistoryError
from byhistory.profile import Kind
from byhistory.report.answers.backtest import in_words
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.validator.backtest import Backtest, Replayed
from byhistory.verdict import Unusual


def label(number):
    return (FIRST_DAY + timedelta(days=number)).isoformat()


def day(guard, number, incident=None):
    table = orders(FIRST_DAY + timedelta(days=number), rows_a_day=300)
    if incident is not None:
        table = INCIDENTS[incident][1](table)
    return profile_table(table, run=label(number), options=Options(guard.store.key()))


PER_COLUMN = Config(defaults=TableConfig(per="column", warn_budget=0.0))


@pytest.fixture
def guard():
    ticks = iter(range(10_000))
    start = datetime(2026, 11, 15, tzinfo=timezone.utc)
    with Validator("memory:", config=PER_COLUMN, clock=lambda: start + timedelta(seconds=next(ticks))) as guard:
        yield guard


@pytest.fixture
def ready(guard):
    guard.remember([day(guard, d) for d in range(14)], "orders")
    return guard


def test_the_first_runs_pass_with_a_notice(guard):
    for number in range(7):
        verdict = guard.judge(day(guard, number), "orders")
        assert verdict.ok
        assert verdict.status == "learning"
        assert f"have {number}, need 7" in str(verdict) or number == 0
    assert guard.judge(day(guard, 7), "orders").status == "as usual"


def test_what_stopped_a_run_is_kept_out_of_learning_until_it_is_called_usual(ready):
    before = ready.learning.programs("orders")["amount"].runs
    verdict = ready.judge(day(ready, 14, "cents"), "orders")
    assert verdict.status == "stop"
    with pytest.raises(Unusual, match="sum"):
        verdict.raise_if_unusual()
    assert ready.learning.programs("orders")["amount"].runs == before
    ready.decisions.accept("orders", label(14), why="they changed the unit", who="ada")
    assert ready.learning.programs("orders")["amount"].runs == before, "forgiven is not learned from"
    ready.decisions.accept("orders", label(14), usual=True, who="ada")
    assert ready.learning.programs("orders")["amount"].runs == before, "nor is what may happen again"
    line = ready.store.runs("orders")[-1]
    assert (line.outcome, line.decision.what, line.decision.who) == ("stop", "usual", "ada")


def test_a_new_normal_gives_the_columns_it_is_about_a_new_level(ready):
    ready.judge(day(ready, 14, "cents"), "orders")
    ready.decisions.accept("orders", label(14), new_normal=True)
    programs = ready.learning.programs("orders")
    assert programs["amount"].state == "learned from 15 runs"
    assert ready.judge(day(ready, 15, "cents"), "orders").ok
    assert not ready.judge(day(ready, 16), "orders").ok, "back in euros is unusual now"


def test_a_rejected_run_is_not_learned_from_any_more(ready):
    before = ready.learning.programs("orders")["amount"].runs
    ready.judge(day(ready, 14), "orders")
    ready.decisions.reject("orders", label(14), why="it was a test")
    assert ready.learning.programs("orders")["amount"].runs == before


def test_shadow_mode_judges_and_records_and_never_fails(ready):
    verdict = ready.judge(day(ready, 14, "cents"), "orders", shadow=True)
    assert verdict.status == "stop"
    verdict.raise_if_unusual()
    assert ready.store.runs("orders")[-1].outcome == "stop"


def test_a_late_run_is_judged_by_the_runs_before_it_and_learned_from(ready):
    assert ready.judge(day(ready, 15), "orders").ok, "a day was skipped, and the calendar knows it"
    late = ready.judge(day(ready, 14), "orders")
    assert late.status == "as usual"
    assert [r.run for r in ready.store.runs("orders")][-2:] == [label(14), label(15)]
    assert ready.learning.programs("orders")["amount"].runs == 16
    assert ready.store.programs("orders").as_of_run == label(15)


def test_a_run_checked_twice_replaces_itself(ready):
    ready.judge(day(ready, 14, "cents"), "orders")
    assert ready.judge(day(ready, 14), "orders").status == "as usual"
    assert [r.run for r in ready.store.runs("orders")].count(label(14)) == 1


def test_programs_that_missed_a_run_of_another_process_are_learned_again(ready):
    kept = ready.store.programs("orders")
    ready.judge(day(ready, 14), "orders")
    ready.judge(day(ready, 15), "orders")
    newest = ready.store.programs("orders")
    assert newest.as_of_run == label(15)
    # as if the process of day 15 had not seen the one of day 14, and had written last
    ready.store.save_programs(dataclasses.replace(kept, as_of_run=label(15)))
    verdict = ready.judge(day(ready, 16), "orders")
    assert {c.state for c in verdict.columns.values()} == {"learned from 16 runs"}


def test_a_decision_is_about_the_data_that_were_there(ready):
    before = ready.learning.programs("orders")["amount"].runs
    ready.judge(day(ready, 14, "cents"), "orders")
    ready.decisions.accept("orders", label(14))
    ready.judge(day(ready, 14, "nulls"), "orders")
    assert ready.store.runs("orders")[-1].outcome == "stop"
    ready.learning.relearn("orders")
    programs = ready.learning.programs("orders")
    assert (programs["amount"].runs, programs["email"].runs) == (before + 1, before), "other data, other columns"


def test_what_is_learned_from_the_store_is_what_is_learned_from_profiles(ready):
    from byhistory.learners import learn

    runs = [day(ready, d) for d in range(14)]
    direct = learn(runs, key=ready.store.key())
    for name, program in ready.learning.programs("orders").items():
        assert program == direct[name]


def test_a_budget_per_table_is_split_over_its_columns():
    config = parse_config('budget = 0.01\nper = "table"\nlearner = "paper"')
    with Validator("memory:", config=config) as guard:
        guard.remember([day(guard, d) for d in range(8)], "orders")
        programs = guard.learning.programs("orders")
        assert sum(p.price for p in programs.values()) <= 0.01
        assert programs["amount"].budget == pytest.approx(0.01 / len(programs))


def test_overrides_in_the_file_and_by_command(ready):
    ready.overrides.mute("orders", "country", "dist_val_count", who="ada")
    assert "dist_val_count" not in [c.metric for c in ready.learning.programs("orders")["country"].clauses]
    ready.overrides.set_threshold("orders", "amount", "mean", low=0.0, high=10.0)
    verdict = ready.judge(day(ready, 14), "orders")
    assert [(f.column, f.outcome.constraint.bound) for f in verdict.findings] == [("amount", "user")]
    ready.overrides.clear("orders", "amount", "mean")
    assert ready.judge(day(ready, 14), "orders").ok

    clause = ready.learning.programs("orders")["status"].clauses[0]
    ready.overrides.pin("orders", "status", clause.metric)
    for number in range(15, 19):
        ready.judge(day(ready, number), "orders")
    pinned = next(c for c in ready.learning.programs("orders")["status"].clauses if c.metric == clause.metric)
    assert (pinned.low, pinned.high, pinned.is_pinned) == (clause.low, clause.high, True)
    with pytest.raises(ByHistoryError, match="name a metric that it has"):
        ready.overrides.pin("orders", "status", "no such metric")

    config = parse_config('[tables.orders.columns.country]\nmute = ["dist_val_count"]')
    with Validator(ready.store, config=config) as other:
        assert "dist_val_count" not in [c.metric for c in other.learning.programs("orders")["country"].clauses]


def pinned(guard, column="amount"):
    return {c.metric: (c.low, c.high) for c in guard.learning.programs("orders")[column].clauses if c.is_pinned}


def test_what_the_file_pins_stays_as_it_was_when_the_entry_was_first_met(ready):
    clauses = {c.metric: (c.low, c.high) for c in ready.learning.programs("orders")["amount"].clauses}
    metric = next(iter(clauses))
    config = parse_config(f'[tables.orders.columns.amount]\npin = ["{metric}"]')
    with Validator(ready.store, config=config) as other:
        assert pinned(other) == {metric: clauses[metric]}, "before anything is written"
        for number in range(14, 18):
            assert other.judge(day(other, number), "orders").ok
        other.decisions.reject("orders", label(17))
        other.remember([day(other, 18)], "orders")
        assert pinned(other) == {metric: clauses[metric]}
        other.overrides.mute("orders", "amount", metric)
        assert pinned(other) == {}, "what is said by command wins"
        other.overrides.clear("orders", "amount", metric)
        assert pinned(other) == {metric: clauses[metric]}
    learned = {c.metric: (c.low, c.high) for c in ready.learning.programs("orders")["amount"].clauses}
    assert learned[metric] != clauses[metric], "once the entry is gone, what was learned holds"
    ready.judge(day(ready, 19), "orders")
    with Validator(ready.store, config=config) as other:
        assert pinned(other) != {metric: clauses[metric]}, "an entry that comes back pins what is there now"


def test_what_the_file_pins_before_it_is_learned_is_pinned_once_it_is(guard):
    guard.config = parse_config('[columns."*"]\npin = ["row_count"]')
    for number in range(8):
        assert guard.judge(day(guard, number), "orders").ok
    first = {name: pinned(guard, name) for name in guard.learning.programs("orders")}
    assert any(first.values())
    for number in range(8, 12):
        guard.judge(day(guard, number), "orders")
    assert {name: pinned(guard, name) for name in first if first[name]} == {n: p for n, p in first.items() if p}


def test_a_metric_of_the_file_that_there_is_not_is_an_error(ready):
    for entry in ('mute = ["maen"]', 'pin = ["maen"]', "thresholds = { maen = { low = 1 } }"):
        config = parse_config(f"[tables.orders.columns.amount]\n{entry}")
        with (
            Validator(ready.store, config=config) as other,
            pytest.raises(ByHistoryError, match=r"judge 'amount' .* no metric 'maen' .*did you mean mean"),
        ):
            other.judge(day(other, 14), "orders")
    assert [r.run for r in ready.store.runs("orders")][-1] == label(13)


def without(batch, *columns):
    return dataclasses.replace(batch, columns={name: p for name, p in batch.columns.items() if name not in columns})


def test_a_column_that_is_not_wanted_any_more_is_none_that_is_missing(ready):
    config = parse_config('per = "column"\nwarn_budget = 0\n[tables.orders]\nexclude = ["email"]')
    with Validator(ready.store, config=config) as other:
        verdict = other.judge(without(day(other, 14), "email"), "orders")
        assert (verdict.status, verdict.findings) == ("as usual", ())
        assert "email" not in verdict.columns
        assert "email" not in other.learning.programs("orders")
    nulls = ready.judge(day(ready, 15, "nulls"), "orders")
    assert {f.column for f in nulls.findings} == {"email"}, "wanted again, it is judged as before"


def test_a_column_that_comes_back_is_judged_by_the_runs_that_had_it(ready):
    assert not ready.judge(without(day(ready, 14), "status"), "orders").ok
    ready.decisions.accept("orders", label(14), new_normal=True)
    assert "status" not in ready.learning.programs("orders")
    again = ready.judge(day(ready, 15), "orders")
    assert again.ok
    assert again.columns["status"].state == "learned from 14 runs"
    assert not again.columns["status"].not_evaluable, "distances are to the last run that had it"


def test_a_kind_that_the_user_decides_begins_a_history_of_its_own(ready):
    ready.config = parse_config('[tables.orders.columns.quantity]\nkind = "categorical"')
    table = orders(FIRST_DAY + timedelta(days=14), rows_a_day=300)
    options = Options(ready.store.key())
    batch = profile_table(table, run=label(14), kinds={"quantity": Kind.CATEGORICAL}, options=options)
    verdict = ready.judge(batch, "orders")
    assert verdict.ok
    assert verdict.columns["quantity"].state == "not enough history yet: have 0, need 7"
    assert not verdict.columns["quantity"].outcomes, "what was learned of numbers says nothing of names"
    assert ready.learning.programs("orders")["quantity"].kind is Kind.CATEGORICAL


def test_a_budget_per_table_is_not_spent_on_columns_that_are_not_wanted():
    with Validator("memory:", config=parse_config('budget = 0.01\nper = "table"\nlearner = "paper"')) as guard:
        guard.remember([day(guard, d) for d in range(8)], "orders")
        guard.config = parse_config('budget = 0.01\nper = "table"\nlearner = "paper"\nexclude = ["email"]')
        assert guard.judge(without(day(guard, 8), "email"), "orders").ok
        assert guard.learning.programs("orders")["amount"].budget == pytest.approx(0.01 / 8)


def test_backtest_measures_the_alarm_rate_and_what_would_be_caught(ready):
    result = ready.learning.backtest("orders")
    rate, low, high = result.rate
    assert 0 <= low <= rate <= high <= 1
    assert (result.per, result.judged, len(result.runs)) == ("column", 7 * 9, 7)
    assert dataclasses.replace(result, per="table").judged == 7
    assert result.caught["unit change"] > 0.8


def test_backtest_counts_a_run_once_however_many_columns_it_stops():
    lost = Replayed("2026-11-15", 9, (("a", "row_count"), ("a", "joint"), ("b", "joint")))
    result = Backtest(0.01, (lost, Replayed("2026-11-16", 9, ())), {})
    assert (result.stopped, result.judged) == (1, 2), "the default budget is of runs of a table"
    assert (dataclasses.replace(result, per="column").stopped, dataclasses.replace(result, per="column").judged) == (
        2,
        18,
    )
    text = in_words("orders", result)
    assert "2026-11-15  the number of rows, a, b" in text
    assert "measured: 1 of 2 judged runs" in text


def test_no_raw_value_reaches_the_store(ready):
    run = ready.judge(day(ready, 14), "orders") and ready.store.load("orders", [label(14)])[0]
    import zlib

    for name, data in run.columns.items():
        body = zlib.decompress(data[4:])
        for value in (b"customer", b"SAVE-", b"shipped", b"@example"):
            assert value not in body, (name, value)
    assert b"customer" not in run.verdict.encode()


def test_the_explanation_names_every_column(ready):
    text = ready.learning.explain("orders")
    assert "amount (numeric, measure)" in text
    with pytest.raises(ByHistoryError, match="backfill its past runs"):
        ready.learning.explain("unheard of")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("budget = 2", "between 0 and 1"),
        ('per = "row"', 'per = "column"'),
        ("colour = 1", "the entry 'colour'"),
        ("[tables.a.columns.b]\nmutes = []", "the entry 'mutes'"),
        ("budget = ", "no TOML"),
    ],
)
def test_a_mistake_in_the_configuration_is_named(text, complaint):
    with pytest.raises(ByHistoryError, match=complaint):
        parse_config(text)
