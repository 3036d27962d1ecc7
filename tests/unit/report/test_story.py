"""What a story tells, and from where."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.histories import demo, demo_run, label
from tests.strategies import TYPES
from tests.unit.report.stories import DAYS, story_of

from byhistory.config import Config, TableConfig
from byhistory.constraints import Constraint, Outcome, judge
from byhistory.errors import ByHistoryError
from byhistory.plain import cells, clipped, plain
from byhistory.profile import Kind
from byhistory.report.axis import scaled
from byhistory.report.composing import line
from byhistory.report.shape import facts, shapes
from byhistory.report.terminal import sparkline
from byhistory.rows.local import profile_table
from byhistory.series.transform import Transform
from byhistory.validator import Validator

numbers = st.floats(allow_nan=True, allow_infinity=True)
positive = st.floats(0.1, 1e6)


# --- the past of a metric ---------------------------------------------------------------------------------------------


@given(
    past=st.lists(positive, min_size=1, max_size=12),
    now=positive,
    transform=st.builds(Transform, st.integers(0, 3), st.booleans()),
    low=st.floats(-5, 0),
    high=st.floats(0, 5),
)
def test_the_band_of_a_past_run_is_what_a_check_of_that_run_would_have_allowed(past, now, transform, low, high):
    clause = Constraint("mean", low, high, transform)
    drawn = line(judge(clause, now, past), past, tuple(map(str, range(len(past) + 1))))
    for i, value in enumerate((*past, now)):
        then = judge(clause, value, past[:i])
        assert (drawn.lows[i], drawn.highs[i]) == pytest.approx((then.low, then.high), nan_ok=True)


def test_the_last_point_is_the_judged_run():
    for column in story_of("cents").columns:
        for clause in column.clauses:
            assert clause.line.runs[-1] == label(DAYS)
            assert len(clause.line.runs) == len(clause.line.values) == DAYS + 1
            assert clause.line.values[-1] == clause.outcome.value


def test_broken_clauses_come_first_and_every_finding_has_one():
    told = story_of("cents")
    amount = next(c for c in told.columns if c.name == "amount")
    assert amount.clauses[0].outcome.status == "broken"
    assert all(told.clause(f).outcome.status == "broken" for f in told.verdict.findings)


# --- from the store ---------------------------------------------------------------------------------------------------


def test_a_kept_run_tells_the_verdict_that_was_recorded_whatever_was_decided_since():
    guard = Validator("memory:", config=Config())
    guard.remember(demo(DAYS), "orders")
    verdict = guard.judge(demo_run(DAYS), "orders")
    guard.overrides.mute("orders", "amount", "mean", who="ann")
    guard.judge(demo_run(DAYS + 1), "orders")
    told = guard.records.story("orders", label(DAYS))
    assert told.verdict.to_json() == verdict.to_json()
    assert told.past == tuple(label(day) for day in range(DAYS))
    assert [r.run for r in told.runs] == [label(day) for day in range(DAYS + 1)]  # nothing of what came later


def test_the_latest_run_is_told_if_none_is_named_and_decisions_are_told_with_it():
    guard = Validator("memory:", config=Config())
    guard.remember(demo(DAYS), "orders")
    guard.decisions.reject("orders", label(3), who="ann", why="half a day")
    told = guard.records.story("orders")
    assert told.run == label(DAYS - 1)
    assert next(r for r in told.runs if r.run == label(3)).decision.startswith("rejected by ann, ")
    assert label(3) not in told.past


def test_a_run_that_was_kept_unjudged_is_judged_now_and_the_story_says_so():
    guard = Validator("memory:", config=Config())
    guard.remember(demo(DAYS), "orders")
    told = guard.records.story("orders", label(DAYS - 1))
    assert told.verdict.status == "as usual"
    assert any(c.clauses for c in told.columns)
    assert "judged here" in told.notices[-1]


@pytest.mark.parametrize("run", [None, "2031-01-01"])
def test_a_run_that_is_not_there_is_a_clear_error(run):
    guard = Validator("memory:", config=Config())
    with pytest.raises(ByHistoryError, match=r"Asked: show run .* Found: no runs of that table"):
        guard.records.story("orders", run)
    guard.remember(demo(2), "orders")
    with pytest.raises(ByHistoryError, match=f"Found: no such run .*{label(1)}"):
        guard.records.story("orders", "2031-01-01")


def test_a_column_that_is_gone_and_one_that_is_new_are_in_the_story():
    guard = Validator("memory:", config=Config())
    runs = [profile_table({"a": [1, 2, 3], "b": ["x", "y", "y"]}, run=f"{i:02}") for i in range(8)]
    guard.remember(runs, "t")
    guard.judge(profile_table({"a": [1, 2, 3], "c": [1.5, 2.5, 3.5]}, run="08"), "t")
    told = guard.records.story("t")
    assert {c.name: c.state for c in told.columns} == {
        "a": "as usual",
        "b": "not as usual",
        "c": "no program yet: the column is new",
    }


def test_shadow_mode_is_remembered():
    guard = Validator("memory:", config=Config(defaults=TableConfig(shadow=True)))
    guard.judge(demo_run(0), "orders")
    assert guard.records.story("orders").verdict.is_shadow


# --- before and after -------------------------------------------------------------------------------------------------

some = {
    kind: profile_table({"c": values})["c"]
    for kind, values in [
        (Kind.NUMERIC, [1.5, 2.5, None, 1e308, -1e308]),
        (Kind.CATEGORICAL, ["a-1", "b-22", None, ""]),
        (Kind.BINARY, [b"a", b"bb", None]),
        (Kind.NESTED, [[1], [1, 2], None]),
    ]
}


@pytest.mark.parametrize("kind", list(some), ids=str)
def test_shares_are_shares_and_every_bar_has_a_name(kind):
    empty = profile_table({"c": demo_array(kind)})["c"]
    for now, before in [
        (some[kind], some[kind]),
        (some[kind], None),
        (empty, some[kind]),
        (some[kind], empty),
        (None, some[kind]),
    ]:
        for shape in shapes(now, before, True):
            for shares in (shape.before, shape.now):
                assert len(shares) in (0, len(shape.labels))
                assert not shares or sum(shares) == pytest.approx(1.0)
                assert all(0.0 <= s <= 1.0 + 1e-9 for s in shares)
        assert facts(now, before)


def demo_array(kind):
    import pyarrow as pa

    types = {str(k): t for k, t in TYPES.items()}
    return pa.array([], types.get(str(kind), pa.list_(pa.int64()) if kind is Kind.NESTED else pa.binary()))


@given(st.lists(st.integers(-50, 50), min_size=1), st.lists(st.integers(-50, 50), min_size=1))
def test_a_histogram_counts_what_is_there(before, now):
    profiles = [profile_table({"c": c})["c"] for c in (before, now)]
    (shape,) = shapes(profiles[1], profiles[0], False)
    if len(shape.labels) <= 25 and "to" not in shape.labels[0] and "up" not in shape.labels[0]:
        for value in set(now):
            if str(value) in shape.labels[1:-1]:
                assert shape.now[shape.labels.index(str(value))] == pytest.approx(now.count(value) / len(now))


def test_values_without_labels_are_ranks_and_new_ones_are_called_new():
    before, now = (profile_table({"c": c})["c"] for c in (["a"] * 3 + ["b"], ["a"] * 2 + ["z"] * 2))
    values = next(s for s in shapes(now, before, True) if s.what == "values")
    assert values.labels == ("value 1", "value 2", "new value 1")


# --- small parts ------------------------------------------------------------------------------------------------------


@given(st.lists(numbers, max_size=50), st.integers(1, 40))
def test_a_sparkline_has_one_block_a_value(values, places):
    assert len(sparkline(values, places)) == min(len(values), places)


@given(st.lists(numbers, min_size=1, max_size=20), st.lists(numbers, max_size=4), st.booleans())
def test_every_value_has_a_height_within_the_plot(values, ends, with_ends):
    scale = scaled(values, [e for e in ends if math.isfinite(e)], with_ends, 100)
    for value in values:
        if not math.isnan(value):
            assert 0 <= scale.y(value) <= 100


@given(st.text())
def test_plain_text_is_printable_and_stays_as_it_is(text):
    once = plain(text, 10_000)
    assert plain(once, 100_000) == once
    assert all(c.isprintable() or c in "\u200c\u200d" or not c.isascii() for c in once)


@given(st.text(), st.integers(1, 20))
def test_clipped_text_fits(text, width):
    assert cells(clipped(plain(text), width)) <= width


def test_an_outcome_without_a_past_can_be_drawn():
    outcome = Outcome(Constraint("mean", 0, 1), "holds", 0.5, 0.0, 1.0)
    assert line(outcome, [], ("only",)).values == (0.5,)
