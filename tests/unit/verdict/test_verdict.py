import json
import math
import pickle

import numpy as np
import pytest
from tests.histories import demo, demo_run, demo_table, history, label, run
from tests.tables import changed

from byhistory.constraints import Constraint
from byhistory.demo.orders import INCIDENTS
from byhistory.learners import Program, learn
from byhistory.metrics import by_name
from byhistory.profile import Kind
from byhistory.rows.local import profile_table
from byhistory.series.transform import Transform
from byhistory.verdict import Past, Unusual, check

RUNS = history(lambda random, _: {"n": random.normal(100, 2, 200), "s": random.choice(["a", "b"], 200)}, 10)
PROGRAMS = learn(RUNS, 0.001, "paper")
BAD = run({"n": np.full(200, 5000.0), "s": ["a", "b"] * 100}, 10)


def test_a_broken_clause_says_by_how_much_and_how_unlikely():
    verdict = check(BAD, PROGRAMS, RUNS)
    mean = next(f for f in verdict.findings if f.outcome.constraint.metric == "mean")
    assert mean.outcome.value == 5000.0
    assert mean.outcome.high < 110
    assert mean.outcome.sigmas > 1000
    assert mean.outcome.rarity < 1e-9
    assert mean.sentence.startswith("average is 5,000, where at most 10")
    assert mean.sentence.endswith("; a good run is this far off less than once in a million")


def test_the_least_likely_finding_of_a_column_comes_first():
    rarities = [f.outcome.rarity for f in check(BAD, PROGRAMS, RUNS).findings]
    known = [r for r in rarities if not math.isnan(r)]
    assert known == sorted(known)


def test_a_good_run_is_as_usual_in_one_line():
    good = check(demo_run(14), learn(demo(14)), demo(14))
    count = sum(len(c.outcomes) for c in good.columns.values())
    assert str(good) == f"Run 2026-09-15 is as usual: {count} constraints on 9 columns hold."
    assert good.raise_if_unusual() is good


def test_what_could_not_be_judged_is_not_said_to_hold():
    program = Program("n", Kind.NUMERIC, (Constraint("mean", 0, 1), Constraint("row_count", 0, 9)), runs=9)
    verdict = check(run({"n": [None, None]}, 10), {"n": program}, [])
    assert str(verdict).splitlines() == [
        "Run 10 is as usual: 1 constraint on 1 column hold, 1 could not be judged.",
        "  · n.mean could not be judged: the metric is undefined on this run",
    ]


def test_a_run_that_is_not_as_usual_raises_when_asked_to_and_survives_a_worker():
    with pytest.raises(Unusual, match="Asked: go on with run '10' of sales") as raised:
        check(BAD, PROGRAMS, RUNS, table="sales").raise_if_unusual()
    again = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - our own bytes
    assert str(again) == str(raised.value)


def test_the_json_is_plain_and_has_what_the_words_have():
    verdict = check(BAD, PROGRAMS, RUNS, table="sales")
    body = json.loads(verdict.to_json(), parse_constant=pytest.fail)
    assert (body["byhistory_verdict"], body["table"], body["run"], body["ok"]) == (1, "sales", "10", False)
    assert [f["sentence"] for f in body["findings"]] == [f.sentence for f in verdict.findings]
    assert set(body["columns"]) == {"n", "s"}
    statuses = {c["status"] for column in body["columns"].values() for c in column["clauses"]}
    assert statuses == {"holds", "broken"}


def test_an_infinite_distance_is_broken_and_written_as_null():
    program = Program("n", Kind.NUMERIC, (Constraint("cohen_d", -math.inf, 3.0),), runs=9)
    ones, twos = run({"n": [1.0] * 9}, 0), run({"n": [2.0] * 9}, 1)
    (outcome,) = check(twos, {"n": program}, [ones]).columns["n"].outcomes
    assert outcome.status in ("broken", "not evaluable")
    assert outcome.status == "broken" or outcome.reason


def test_a_clause_that_compares_needs_the_run_it_compares_with():
    program = Program("n", Kind.NUMERIC, (Constraint("mean", -1, 1, Transform(lag=7)),), runs=9)
    (outcome,) = check(RUNS[3], {"n": program}, RUNS).columns["n"].outcomes
    assert outcome.status == "not evaluable"
    assert outcome.reason == "the run it is compared with (7 before) has no value"
    (later,) = check(RUNS[8], {"n": program}, RUNS).columns["n"].outcomes
    assert later.status == "holds"


def test_a_distance_is_taken_to_the_last_run_that_had_the_column():
    runs = [RUNS[0], run({"s": ["a"] * 200}, 1), RUNS[2]]
    program = Program("n", Kind.NUMERIC, (Constraint("ks_dist", -math.inf, 0.5),), runs=9)
    assert check(RUNS[2], {"n": program}, runs).columns["n"].outcomes[0].value == pytest.approx(
        check(RUNS[2], {"n": program}, [RUNS[0]]).columns["n"].outcomes[0].value
    )


@pytest.mark.parametrize("last", [1, 3, 7, 50])
def test_the_last_runs_read_what_all_runs_read(last):
    gappy = [RUNS[0], RUNS[1], run({"s": ["a"]}, 2), RUNS[3], run({"s": ["a"]}, 4), run({"s": ["a"]}, 5), *RUNS[6:]]
    for runs in (RUNS, gappy, []):
        column = Past.of(runs).column("n")
        metrics = [by_name("mean"), by_name("ks_dist")]
        assert np.array_equal(column.last(metrics, last), column.series(metrics)[:, -last:], equal_nan=True)


@pytest.mark.parametrize("incident", ["cents", "nulls", "casing"])
def test_the_incidents_of_the_demo_are_caught(incident):
    runs = demo(21, 2_000)
    batch = profile_table(INCIDENTS[incident][1](demo_table(21, 2_000)), run=label(21))
    verdict = check(batch, learn(runs), runs)
    assert not verdict.ok
    assert len(verdict.causes) == 1


def test_a_run_may_be_judged_again_and_is_not_its_own_past():
    batch = changed(demo_table(14), label(14), amount=lambda column: np.asarray(column) * 100)
    programs, runs = learn(demo(14)), demo(14)
    assert check(batch, programs, [*runs, batch]).to_json() == check(batch, programs, runs).to_json()
