"""The learner whose prices are measured: its programs, their words, their JSON, and what they stop."""

import math

import numpy as np
import pytest
from tests.strategies import seeded

from byhistory.constraints.always import ALWAYS
from byhistory.constraints.constraint import JOINT, MEASURED
from byhistory.learners import from_json, learn, to_json
from byhistory.learners.calibrated.joint import Joint
from byhistory.learners.calibrated.prices import total_surprise
from byhistory.learners.calibrated.replay import HISTORIES
from byhistory.learners.learn import learn_series
from byhistory.learners.program import Program
from byhistory.metrics import by_name, of_kind
from byhistory.profile import Kind
from byhistory.report.explain import explain
from byhistory.rows.local import profile_table
from byhistory.verdict import check

BUDGETS = (0.05, 0.01, 0.001)


def day(number: int, rows: int = 400, factor: float = 1.0, missing: float = 0.0) -> dict[str, list[object]]:
    random = seeded(number)
    prices = random.normal(100, 10, rows) * factor
    return {
        "price": [None if random.random() < missing else float(p) for p in prices],
        "state": [str(s) for s in random.choice(["WA", "OR", "CA"], rows)],
    }


RUNS = [profile_table(day(i), run=f"{i:03}") for i in range(20)]


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_program_is_small_and_within_its_budget(budget: float) -> None:
    for program in learn(RUNS, budget, "calibrated").values():
        assert 1 <= len(program.clauses) <= 4
        assert program.clauses[-1].metric == JOINT
        assert program.price == pytest.approx(budget)
        assert all(c.price > 0 for c in program.clauses)
        assert all(c.bound == MEASURED for c in program.clauses)


def test_a_limit_on_clauses_keeps_the_one_on_all_metrics() -> None:
    (program, *_) = learn(RUNS, 0.01, "calibrated", max_clauses=1).values()
    assert [c.metric for c in program.clauses] == [JOINT]


@pytest.mark.parametrize(
    "bad", [day(99, factor=100.0), day(99, rows=20), day(99, missing=0.6)], ids=["times 100", "few rows", "nulls"]
)
def test_a_bad_run_is_stopped_and_a_good_one_passes(bad: dict[str, list[object]]) -> None:
    programs = learn(RUNS, 0.01, "calibrated")
    assert check(profile_table(day(98), run="021"), programs, RUNS).ok
    verdict = check(profile_table(bad, run="021"), programs, RUNS)
    assert not verdict.ok
    priced = [f.outcome for f in verdict.findings if f.outcome is not None and f.outcome.constraint.bound != ALWAYS]
    assert all(0 <= outcome.rarity <= 0.01 for outcome in priced)


def test_what_all_metrics_say_together_is_told_by_the_largest_surprises() -> None:
    verdict = check(profile_table(day(99, factor=100.0), run="021"), learn(RUNS, 0.01, "calibrated"), RUNS)
    told = str(verdict)
    assert "price: " in told
    assert "and with it" in told
    assert "a good run is this unlike its past less than once in" in told


def test_what_moved_with_the_lead_is_told_in_the_order_in_which_a_person_names_it() -> None:
    def shops(i: int, new: int = 0) -> dict[str, list[object]]:
        names = seeded(i).choice([f"shop {n}" for n in range(8)], 400 - new).tolist()
        return {"shop": [*names, *["kiosk"] * new]}

    runs = [profile_table(shops(i), run=f"{i:03}") for i in range(20)]
    told = check(profile_table(shops(21, new=40), run="021"), learn(runs, 0.01, "calibrated"), runs)
    (first, *_) = (f for f in told.findings if f.outcome is not None)
    assert first.outcome.constraint.metric == "new_value_ratio"
    assert ", and with it number of distinct values, share of values written in a new way" in first.sentence
    assert " and more; a good run" in first.sentence


def test_shares_that_moved_are_told_by_the_value_that_moved_most() -> None:
    shares = [0.3, 0.2, 0.15, 0.12, 0.09, 0.07, 0.05, 0.02]

    def shops(i: int, order: tuple[int, ...] = tuple(range(8))) -> dict[str, list[object]]:
        return {"shop": seeded(i).choice([f"shop {n}" for n in order], 2000, p=shares).tolist()}

    runs = [profile_table(shops(i), run=f"{i:03}") for i in range(20)]
    told = check(profile_table(shops(21, (0, 7, 2, 3, 4, 5, 6, 1)), run="021"), learn(runs, 0.05, "calibrated"), runs)
    (first, *_) = (f for f in told.findings if f.outcome is not None)
    assert first.outcome.constraint.metric == "l_inf"
    assert "largest change of a value's share" in first.sentence


def test_a_column_is_not_told_by_the_number_of_rows_where_something_says_more() -> None:
    runs = [profile_table(day(i, rows=400 + i % 3), run=f"{i:03}") for i in range(20)]
    bad = day(99, rows=480)
    bad["state"] = [state.lower() + "!" for state in bad["state"]]
    told = check(profile_table(bad, run="021"), learn(runs, 0.01, "calibrated"), runs)
    of_state = [f.outcome.constraint.metric for f in told.findings if f.outcome is not None and f.column == "state"]
    assert of_state
    assert "row_count" not in of_state


def test_a_tighter_budget_is_never_broken_where_a_wider_one_holds() -> None:
    tight, wide = (learn(RUNS, b, "calibrated")["price"] for b in (0.001, 0.05))
    assert tight.model is not None
    assert wide.model is not None
    assert tight.clauses[-1].high > wide.clauses[-1].high
    for clause in tight.clauses[:-1]:
        other = next(c for c in wide.clauses if c.metric == clause.metric)
        assert clause.low <= other.low
        assert clause.high >= other.high


def test_a_program_survives_json_and_judges_the_same() -> None:
    program = learn(RUNS, 0.01, "calibrated")["price"]
    again = from_json(to_json(program))
    assert explain(again) == explain(program)
    assert isinstance(program.model, Joint)
    assert isinstance(again.model, Joint)
    values = seeded(5).normal(100, 50, (20, len(program.model.metrics)))
    assert np.allclose(program.model.surprises(values), again.model.surprises(values))


def test_its_words_name_what_all_metrics_are_and_what_they_catch() -> None:
    told = explain(learn(RUNS, 0.01, "calibrated")["price"])
    assert "surprise of all metrics together at most" in told
    assert "(measured)" in told
    assert "catches" in told


def test_of_a_long_history_only_what_was_measured_is_used() -> None:
    metrics = of_kind(Kind.NUMERIC)
    random = seeded(1)
    series = random.normal(10, 1, (len(metrics), HISTORIES[-1]))
    longer = np.hstack([np.full((len(metrics), 40), 1e6), series])
    head = Program("x", Kind.NUMERIC, (), "calibrated", 0.01, 100)
    assert learn_series(head, metrics, longer).clauses == learn_series(head, metrics, series).clauses


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_learns_from_anything(kind: Kind) -> None:
    metrics = of_kind(kind)
    for series in (np.zeros((len(metrics), 9)), np.full((len(metrics), 9), np.nan), np.full((len(metrics), 9), 1e308)):
        program = learn_series(Program("x", kind, (), "calibrated", 0.001, 9), metrics, series)
        assert isinstance(program.model, Joint)
        assert math.isfinite(float(total_surprise(program.model.contributions(series[:, -1]))))


def test_a_weekly_cycle_is_compared_with_the_week_before() -> None:
    days = np.arange(28)
    rows = np.where(days % 7 < 5, 1000.0, 200.0) + seeded(3).normal(0, 5, 28)
    metrics = (by_name("row_count"), by_name("complete_ratio"))
    program = learn_series(
        Program("x", Kind.NUMERIC, (), "calibrated", 0.01, 28), metrics, np.stack([rows, np.ones(28)])
    )
    clause = next(c for c in program.clauses if c.metric == "row_count")
    assert clause.transform.lag == 7
    assert "compared with the run 7 runs before" in explain(program)


def test_what_a_clause_catches_does_not_depend_on_the_day_that_faults_were_put_into() -> None:
    """Rows rise and fall with the week; a fault that leaves the rows alone is not caught by their number."""

    def of_week(i: int) -> dict[str, list[object]]:
        return day(i, rows=400 if i % 7 < 5 else 200)

    runs = [profile_table(of_week(i), run=f"{i:03}") for i in range(28 + 5)]  # next is a Saturday
    clause = learn(runs, 0.01, "calibrated")["price"].clauses[0]
    assert (clause.metric, clause.transform.lag) == ("row_count", 7)
    assert clause.faults
    assert all("volume" in fault for fault in clause.faults), clause.faults
