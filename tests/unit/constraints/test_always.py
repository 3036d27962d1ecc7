from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.histories import demo, demo_table, label
from tests.tables import changed

import byhistory as bh
from byhistory import config, metrics
from byhistory.constraints import always
from byhistory.constraints.always import always_clauses
from byhistory.constraints.judge import judge, outcomes
from byhistory.rows.local import profile_table

DAYS = 14


@cache
def _past() -> list[Any]:
    return demo(DAYS)


@cache
def _programs(budget: float) -> Any:
    return bh.learn(_past(), budget)


def _stops(budget: float, column: str, change: Any) -> bool:
    batch = changed(demo_table(DAYS), label(DAYS), **{column: change})
    return not bh.check(batch, _programs(budget), _past()).ok


def _nulls(values: Any) -> Any:
    return pa.nulls(len(values), values.type)


@pytest.mark.parametrize("budget", [1e-6, 1e-4, 0.01])
@pytest.mark.parametrize("column", demo_table(DAYS).column_names)
def test_a_column_that_is_wholly_null_stops_at_every_budget(column: str, budget: float) -> None:
    assert _stops(budget, column, _nulls)


def test_three_values_in_ten_null_stop_at_every_budget() -> None:
    def thinned(values: Any) -> Any:
        return pa.array([None if i % 10 < 3 else v for i, v in enumerate(values.to_pylist())], values.type)

    assert _stops(1e-6, "amount", thinned)


@pytest.mark.parametrize(("column", "value"), [("amount", 0.0), ("country", ""), ("country", "DE")])
def test_a_column_of_one_value_stops_at_every_budget(column: str, value: Any) -> None:
    assert _stops(1e-6, column, lambda values: pa.array([value] * len(values), values.type))


def test_the_user_can_turn_a_rule_off() -> None:
    batch = changed(demo_table(DAYS), label(DAYS), amount=_nulls)
    verdict = bh.check(batch, _programs(1e-6), _past(), always_off=[rule.name for rule in always.ALL])
    assert not any(f.outcome is not None and f.outcome.constraint.bound == always.ALWAYS for f in verdict.findings)


def test_a_column_that_was_often_null_may_be_null_again() -> None:
    assert not always_clauses({"complete_ratio": np.array([0.0, 1.0, 1.0] * 4)}, 200, 200)


@given(st.lists(st.floats(0, 1), min_size=0, max_size=40), st.integers(0, 10_000))
def test_no_rule_is_broken_by_a_value_that_was_there_before(past: list[float], rows: int) -> None:
    for clause in always_clauses(dict.fromkeys(always.METRICS, np.array(past)), rows, rows):
        assert all(clause.low <= value <= clause.high for value in past)


@given(st.lists(st.floats(0, 1), max_size=40), st.integers(0, 10_000), st.floats(0, 1) | st.just(math.nan))
def test_the_clauses_that_a_run_is_outside_of_are_those_that_the_judge_calls_broken(
    past: list[float], rows: int, now: float
) -> None:
    series, reads = dict.fromkeys(always.METRICS, np.array(past)), dict.fromkeys(always.METRICS, now)
    every = always_clauses(series, rows, rows)
    broken = [
        o.constraint for o in outcomes(every, [now] * len(every), [math.nan] * len(every)) if o.status == "broken"
    ]
    others = [c for c in broken if not c.metric.endswith(("pattern_ratio", "format_ratio"))]
    of_formats = [c for c in broken if c not in others][:1]  # three rules with one name, of which the first is told
    broken = others + of_formats
    assert list(always.clauses_outside(series, rows, rows, reads)) == broken


@given(st.floats(0, 1), st.integers(0, 3))
def test_one_value_that_changes_is_no_reason_to_stop(value: float, rows: int) -> None:
    past = dict.fromkeys(("empty_ratio", "zero_ratio", "top_value_ratio"), np.full(30, value))
    assert all(rows > 1 for _ in always_clauses(past, 100, rows))


def test_rules_are_named_in_the_configuration_and_measure_what_exists() -> None:
    names = dict.fromkeys(rule.name for rule in (*always.ALL, *always.OF_ROWS))
    assert (*names, always.SAME_AGAIN) == config.ALWAYS
    assert {rule.metric for rule in always.ALL} <= {m.name for m in metrics.ALL}


def test_what_always_stops_is_not_hidden_by_a_warning_about_the_same_metric() -> None:
    def thinned(values: Any) -> Any:
        return pa.array([None if i % 2 else v for i, v in enumerate(values.to_pylist())], values.type)

    batch = changed(demo_table(DAYS), label(DAYS), email=thinned)
    programs = bh.learn(_past(), 1e-9, warn_budget=0.5)
    found = [f for f in bh.check(batch, programs, _past()).findings if f.column == "email" and f.outcome is not None]
    presence = [f for f in found if f.outcome.constraint.metric == "complete_ratio"]
    assert [f.level for f in presence] == ["stop"]


@pytest.mark.parametrize(("had", "has", "stops"), [(0.0107, 0.004, False), (0.0107, 0.0, True), (0.2, 0.07, True)])
def test_a_fall_that_touches_hardly_a_row_does_not_stop_but_nothing_left_does(
    had: float, has: float, stops: bool
) -> None:
    past = {"complete_ratio": np.full(30, had)}
    assert bool(always.clauses_outside(past, 2_000, 2_000, {"complete_ratio": has})) == stops


def test_a_column_that_hardly_varied_may_be_all_alike() -> None:
    for least, stops in ((0.07, False), (0.3, True)):
        past = {"top_value_ratio": 1.0 - np.linspace(least, 2 * least, 30)}
        assert bool(always.always_clauses(past, 1_000, 1_000)) == stops


@pytest.mark.parametrize("budget", [1e-6, 1e-4, 0.01])
def test_less_than_half_of_the_fewest_rows_stops_at_every_budget_and_is_told_once(budget: float) -> None:
    few = profile_table(demo_table(DAYS).slice(0, 100), run=label(DAYS))
    verdict = bh.check(few, _programs(budget), _past())
    assert not verdict.ok
    assert sum(f.outcome.constraint.metric == "row_count" for f in verdict.causes if f.outcome is not None) == 1
    off = bh.check(few, _programs(1e-6), _past(), always_off=["few rows"])
    assert not any(f.outcome is not None and f.outcome.constraint.bound == always.ALWAYS for f in off.findings)


@pytest.mark.parametrize("budget", [1e-6, 1e-4, 0.01])
def test_a_load_that_came_twice_stops_at_every_budget_though_no_column_tells_rows_apart(budget: float) -> None:
    names = ["country", "amount"]
    past = [bh.TableProfile(r.run, r.rows, {n: r.columns[n] for n in names}) for r in _past()]
    most = max(r.rows for r in past)
    table = demo_table(DAYS).select(names)
    many = pa.concat_tables([table] * (2 + most // table.num_rows)).slice(0, int(1.85 * most))
    verdict = bh.check(profile_table(many, run=label(DAYS)), bh.learn(past, budget), past)
    of_rows = [f for f in verdict.causes if f.outcome is not None and f.outcome.constraint.metric == "row_count"]
    assert [f.level for f in of_rows] == ["stop"]
    off = bh.check(profile_table(many, run=label(DAYS)), bh.learn(past, 1e-6), past, always_off=["many rows"])
    assert not any(f.outcome is not None and f.outcome.constraint.bound == always.ALWAYS for f in off.findings)


def test_chance_may_nearly_double_a_handful_of_rows() -> None:
    assert always.MANY_ROWS.clause(np.full(30, 12.0), 50, 50) is None
    assert always.MANY_ROWS.clause(np.zeros(30), 50, 50) is None
    assert always.MANY_ROWS.clause(np.full(30, 200.0), 50, 50) is not None


def test_chance_may_halve_a_handful_of_rows() -> None:
    assert always.FEW_ROWS.clause(np.full(30, 12.0), 5, 5) is None
    assert always.FEW_ROWS.clause(np.full(30, 200.0), 5, 5) is not None


@pytest.mark.parametrize("at", [0, 12, 29])
@pytest.mark.parametrize(("rows", "stops"), [(5.0, True), (30.0, True), (110.0, True), (190.0, False)])
def test_one_outage_in_the_past_hides_no_other(at: int, rows: float, stops: bool) -> None:
    past = np.full(30, 400.0)
    past[at] = 5.0
    found = always.clauses_outside({"row_count": past}, rows, rows, {"row_count": rows}, rules=always.OF_ROWS)
    assert bool(found) == stops
    past[at - 1] = 5.0  # what happened twice may happen again
    assert not always.clauses_outside({"row_count": past}, rows, rows, {"row_count": rows}, rules=always.OF_ROWS)


def test_an_outage_after_another_is_told_by_what_is_usual_beside_it() -> None:
    days = [r if i != 5 else profile_table(demo_table(i).slice(0, 5), run=label(i)) for i, r in enumerate(_past())]
    few = profile_table(demo_table(DAYS).slice(0, 60), run=label(DAYS))
    verdict = bh.check(few, bh.learn(days), days)
    assert [(f.level, f.sentence) for f in verdict.findings] == [
        ("stop", "number of rows is 60, where at least 94 is usual")
    ]
    assert [f.sentence for f in verdict.causes] == ["60 rows, usually 94 to 434"]


@pytest.mark.parametrize("column", ["order_id", "country"])
def test_a_key_that_comes_twice_and_a_format_that_changed_stop_at_every_budget(column: str) -> None:
    def spoiled(values: Any) -> Any:
        if column == "order_id":
            return pa.concat_arrays([values.combine_chunks()[: len(values) - 80], values.combine_chunks()[:80]])
        return pa.array([None if v is None else f"<{v}>" for v in values.to_pylist()], values.type)

    days = always.LONG + 1  # the first run has no other to compare its format with
    runs = demo(days)
    programs = bh.learn(runs, 1e-6)
    batch = changed(demo_table(days), label(days), **{column: spoiled})
    assert bh.check(profile_table(demo_table(days), run=label(days)), programs, runs).ok
    (stopped,) = [f for f in bh.check(batch, programs, runs).findings if f.level == "stop"]
    assert stopped.column == column
    of_values = {
        "order_id": "of the values are distinct; 100 % were",
        "country": "100 % of the values have a format that",
    }
    assert of_values[column] in stopped.sentence


@pytest.mark.parametrize(
    ("metric", "usual", "now", "values", "stops"),
    [
        ("unique_ratio", 1.0, 0.9, 1_000, False),
        ("unique_ratio", 1.0, 0.89, 1_000, True),
        ("unique_ratio", 0.97, 0.5, 1_000, False),  # it never told rows apart
        ("unique_ratio", 1.0, 0.89, 9, False),  # one of nine rows twice
        ("new_pattern_ratio", 0.0, 0.91, 1_000, True),
        ("new_pattern_ratio", 0.0, 0.89, 1_000, False),
        ("new_pattern_ratio", 0.03, 1.0, 1_000, False),  # it always had some that were new
        ("new_pattern_ratio", 0.0, 1.0, 2, False),
        ("new_format_ratio", 0.0, 0.91, 1_000, True),
        ("new_format_ratio", 0.01, 0.89, 1_000, False),
        ("new_format_ratio", 0.03, 1.0, 1_000, False),
    ],
)
def test_keys_and_formats_stop_where_they_were_steady(
    metric: str, usual: float, now: float, values: float, stops: bool
) -> None:
    for runs, may in ((always.LONG, True), (always.LONG - 1, False)):
        found = always.clauses_outside({metric: np.full(runs, usual)}, 1_000, values, {metric: now})
        assert bool(found) == (stops and may)


@pytest.mark.parametrize(
    ("usual", "now", "level"),
    [(0.0, 0.19, ""), (0.0, 0.21, "warn"), (0.006, 0.89, ""), (0.0, 0.91, "stop"), (0.01, 0.91, "stop")],
)
def test_some_values_in_another_format_are_warned_about(usual: float, now: float, level: str) -> None:
    past = {"new_format_ratio": np.full(always.LONG, usual)}
    found = always.clauses_outside(past, 1_000, 1_000, {"new_format_ratio": now})
    assert [judge(c, now, ()).level for c in found] == ([level] if level else [])
