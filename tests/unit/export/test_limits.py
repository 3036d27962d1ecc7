"""Limits for other tools: what they may say, and that nothing is dropped without a word."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.histories import demo, demo_run

from byhistory import export
from byhistory.config import Config, TableConfig
from byhistory.export import Learned
from byhistory.export.limits import limits_of
from byhistory.export.sql import can_say, sql_of
from byhistory.export.yaml import number, to_yaml
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import by_name
from byhistory.profile import Kind
from byhistory.validator import Validator
from byhistory.validator.learned import learned_of

LEARNERS = ("calibrated", "paper")


@cache
def guard_of(learner: str = "calibrated") -> Validator:
    guard = Validator("memory:", config=Config(defaults=TableConfig(learner=learner)))
    guard.remember(demo(30), "orders")
    return guard


@cache
def learned(learner: str = "calibrated") -> Learned:
    return learned_of(guard_of(learner).guarded("orders"))


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_good_run_keeps_its_limits(learner):
    limits, _ = limits_of(learned(learner), can_say)
    assert len(limits) >= 10
    run = demo_run(30)
    for limit in limits:
        value = by_name(limit.metric)(run[limit.column or "order_id"])
        assert not value < limit.low, limit
        assert not value > limit.high, limit


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_metric_of_every_column_is_in_the_limits_or_said_to_be_left_out(learner):
    limits, unsaid = limits_of(learned(learner), can_say)
    for column in learned(learner).columns:
        said = {limit.metric for limit in limits if limit.column in ("", column.name)}
        lost = " ".join(lost.what for lost in unsaid if lost.column == column.name)
        model = column.program.model
        forecast = [] if model is None else [m for m in model.metrics if model.expected(m) is not None]
        for metric in (*forecast, *(c.metric for c in column.program.clauses if c.metric != "joint")):
            assert metric in said or metric in lost, f"{metric} of {column.name}"


@pytest.mark.parametrize("form", export.ALL, ids=lambda form: form.name)
def test_a_metric_that_a_package_added_is_listed_as_what_the_tool_cannot_measure(form):
    own = replace(by_name("mean"), name="own")
    with Validator("memory:", config=Config(), metrics=[*ALL_METRICS, own]) as guard:
        guard.remember(demo(8), "orders")
        guard.overrides.set_threshold("orders", "amount", "own", low=0.0)
        unsaid = guard.learning.export("orders", form.name).unsaid
    assert any("own" in lost.what for lost in unsaid if lost.column == "amount")


def test_what_the_tool_cannot_measure_is_listed():
    limits, unsaid = limits_of(learned(), lambda metric, *_: metric == "mean")
    assert {limit.metric for limit in limits} == {"mean"}
    assert any("row_count" in lost.what for lost in unsaid)


def test_fewer_limits_are_tighter_ones_because_they_share_one_price():
    few, _ = limits_of(learned(), lambda metric, *_: metric == "mean")
    many, _ = limits_of(learned(), can_say)
    width = {limit.column: limit.high - limit.low for limit in many if limit.metric == "mean"}
    assert few
    for limit in few:
        assert limit.high - limit.low <= width.get(limit.column, math.inf)


def test_a_column_without_enough_history_is_said_to_be_so():
    guard = Validator("memory:", config=Config())
    guard.remember(demo(3), "orders")
    limits, unsaid = limits_of(learned_of(guard.guarded("orders")), can_say)
    assert limits == []
    assert {(lost.column, lost.what) for lost in unsaid} == {(c.name, "everything") for c in learned().columns}


def test_a_users_threshold_is_exported_as_it_is():
    learned()  # before the threshold: the other tests are about what was learned
    guard = guard_of()
    guard.overrides.set_threshold("orders", "amount", "max", high=5_000)
    (limit,) = [one for one in limits_of(learned_of(guard.guarded("orders")), can_say)[0] if one.by_user]
    assert (limit.column, limit.metric, limit.low) == ("amount", "max", -math.inf)
    assert limit.high == pytest.approx(5_000)


def test_a_comparison_with_a_run_that_has_no_value_is_listed():
    from byhistory.series.transform import Transform

    first = learned("paper")
    columns = []
    for column in first.columns:
        clauses = tuple(replace(clause, transform=Transform(lag=1)) for clause in column.program.clauses)
        past = {clause.metric: np.array([math.nan]) for clause in clauses}
        columns.append(replace(column, program=replace(column.program, clauses=clauses), past=past, always=()))
    limits, unsaid = limits_of(replace(first, columns=tuple(columns)), can_say)
    assert limits == []
    assert any("has no value" in lost.why for lost in unsaid)


@pytest.mark.parametrize("format_", export.ALL, ids=lambda f: f.name)
@pytest.mark.parametrize("where", ["", "ds = '2026-10-01'"])
def test_every_format_writes_its_limits_and_names_what_is_not_in_them(format_, where):
    done = format_.write(replace(learned(), where=where))
    text = "".join(done.files.values())
    assert done.limits > 20
    assert done.unsaid
    assert "that all metrics together are as usual" in text
    assert "2026-09-30" in text
    assert not re.search(r"\b(inf|nan|Infinity|NaN)\b", text)


def test_great_expectations_measures_the_quantiles_of_a_column_at_once():
    (text,) = export.by_name("gx").write(learned()).files.values()
    quantiles = [e["kwargs"]["column"] for e in json.loads(text)["expectations"] if "quantile" in e["type"]]
    assert quantiles
    assert len(quantiles) == len(set(quantiles))


@pytest.mark.parametrize("kind", Kind)
def test_sql_is_said_for_every_kind(kind):
    assert sql_of("row_count", kind, "?") == "count(*)"
    assert "{column}" in sql_of("complete_ratio", kind, "?")


def test_yaml_quotes_what_would_be_read_as_something_else():
    assert (
        to_yaml({"no": "on", "a b": None, "e": [], "n": [1, 2.5]}) == '"no": "on"\n"a b": null\ne: []\n"n": [1, 2.5]\n'
    )


@pytest.mark.parametrize("value", [1e-12, 1e22, -3.5, 0.0, 2.0**60, 123456.789])
def test_a_number_is_written_without_an_exponent_and_is_the_same(value):
    assert "e" not in number(value)
    assert float(number(value)) == value


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_stops_a_run_at_every_budget_is_a_limit_too(learner):
    limits, _ = limits_of(learned(learner), can_say)
    (presence,) = (limit for limit in limits if (limit.column, limit.metric) == ("email", "complete_ratio"))
    assert presence.low >= 0.8, "it was always there"
