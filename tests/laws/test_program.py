"""Laws of learning: within the budget, the same every time, and never an exception because of the data."""

import dataclasses
import json
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.histories import demo, histories, without_samples
from tests.strategies import examples

from byhistory.constraints import Constraint, Evidence
from byhistory.errors import ByHistoryError
from byhistory.learners import NEEDED_RUNS, Program, from_json, learn, to_json
from byhistory.learners.calibrated import CALIBRATED
from byhistory.profile import Kind
from byhistory.report.explain import explain
from byhistory.series.transform import Transform

budgets = st.sampled_from([1e-9, 1e-5, 0.0005, 0.001, 0.01, 0.1, 0.5])


@given(histories(), budgets)
@examples(80)
def test_a_program_stays_within_its_budget(runs, budget):
    for past in (runs, without_samples(runs)):
        for program in learn(past, budget).values():
            assert program.price == sum(c.price for c in program.clauses) <= budget
            assert all(c.price > 0 for c in program.clauses)


@pytest.mark.parametrize("budget", [1e-7, 0.0005, 0.001, 0.01, 0.1])
@pytest.mark.parametrize("days", [7, 14, 30])
def test_the_programs_of_the_demo_stay_within_their_budget(budget, days):
    programs = learn(demo(days), budget)
    assert len(programs) == 9
    assert all(p.price <= budget for p in programs.values())
    assert budget < 1e-6 or all(p.clauses for p in programs.values())


def test_a_budget_per_table_is_split_among_its_columns():
    programs = learn(demo(14), 0.001, "paper", per="table")
    assert sum(p.price for p in programs.values()) <= 0.001
    assert {p.budget for p in programs.values()} == {0.001 / 9}
    together = learn(demo(14), 0.001, "calibrated", per="table")
    rest = {p.budget for p in together.values() if not p.carries_rows}
    assert list(rest) == pytest.approx([CALIBRATED.column_budget(0.001, 9)])
    assert min(rest) > 0.001 / 9, "columns of a table move together, and are judged as one"
    assert {p.table_budget for p in together.values()} == {0.001}
    assert sum(p.rows_budget for p in together.values()) == pytest.approx(0.1 * 0.001)


@given(histories(max_runs=8), st.integers(0, 3))
@examples(30)
def test_learning_is_the_same_again_with_the_same_seed(runs, seed):
    first, second = learn(runs, seed=seed), learn(runs, seed=seed)
    assert [to_json(p) for p in first.values()] == [to_json(p) for p in second.values()]


@given(histories(max_runs=9), st.randoms(use_true_random=False))
@examples(30)
def test_the_order_in_which_runs_are_given_does_not_matter(runs, shuffler):
    shuffled = list(runs)
    shuffler.shuffle(shuffled)
    assert [to_json(p) for p in learn(runs).values()] == [to_json(p) for p in learn(shuffled).values()]


def test_the_order_does_not_matter_on_the_demo_either():
    runs = demo(14)
    shuffled = random.Random(4).sample(runs, len(runs))
    assert {n: to_json(p) for n, p in learn(runs).items()} == {n: to_json(p) for n, p in learn(shuffled).items()}


@given(histories(min_runs=0, max_runs=NEEDED_RUNS - 1))
@examples(25)
def test_too_short_a_history_is_a_state_and_no_exception(runs):
    for program in learn(runs).values():
        assert not program.is_ready
        assert program.clauses == ()
        assert explain(program) == f"c: not enough history yet: have {len(runs)}, need 7"


@given(histories(), budgets)
@examples(40)
def test_json_and_back_is_the_same_program(runs, budget):
    for program in learn(runs, budget).values():
        again = from_json(to_json(program))
        assert again == program
        assert to_json(again) == to_json(program)
        if program.responses is not None:
            assert np.array_equal(again.responses.values, program.responses.values, equal_nan=True)


any_float = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Programs as a person might write them."""
    clauses = []
    for _ in range(draw(st.integers(0, 4))):
        low, high = sorted((draw(any_float), draw(any_float)))
        transform = Transform(draw(st.integers(0, 9)), draw(st.booleans()))
        faults = tuple(draw(st.lists(st.text(max_size=5), max_size=2)))
        evidence = draw(st.none() | st.builds(Evidence, st.integers(0, 99), *[any_float] * 5))
        price = draw(st.floats(0, 1))
        clause = Constraint(draw(st.text(max_size=9)), low, high, transform, "user", price, evidence, faults)
        ends = draw(st.sampled_from([{}, {"low": -math.inf}, {"high": math.inf}]))
        clauses.append(dataclasses.replace(clause, **ends, is_pinned=draw(st.booleans())))
    kind = draw(st.sampled_from(list(Kind)))
    return Program(draw(st.text(max_size=9)), kind, tuple(clauses), runs=draw(st.integers(0, 99)))


@given(programs())
def test_any_program_survives_json_and_can_be_explained(program):
    assert from_json(to_json(program)) == program
    assert explain(program)


@given(st.recursive(st.none() | st.booleans() | any_float | st.text(max_size=5), st.lists, max_leaves=5), st.data())
@examples(150)
def test_an_entry_of_any_other_form_is_read_or_named(value, data):
    clause = Constraint("mean", 1.0, 2.0, Transform(1), "clt", 0.001, Evidence(9, 1.5, 0.1, 5.0, 1.4, 1.6), ("a",))
    body = json.loads(to_json(Program("n", Kind.NUMERIC, (clause,), runs=9, notes=("x",))))
    inside = data.draw(st.sampled_from(["program", "clause", "evidence", "transform"]))
    part = {
        "program": body,
        "clause": (c := body["clauses"][0]),
        "evidence": c["evidence"],
        "transform": c["transform"],
    }
    entry = data.draw(st.sampled_from(sorted(set(part[inside]) - {"byhistory_program"})))
    part[inside][entry] = value
    try:
        program = from_json(json.dumps(body))
    except ByHistoryError as why:
        assert entry in why.found  # noqa: PT017 - it may also be read
    else:
        assert explain(program)
