import json
import math
from pathlib import Path

import pytest
from tests.histories import demo, demo_run

from byhistory.constraints import Constraint, Evidence
from byhistory.errors import ByHistoryError
from byhistory.learners import Program, from_json, learn, to_json
from byhistory.profile import Kind
from byhistory.report.explain import explain
from byhistory.series.transform import Transform
from byhistory.verdict import check

GOLDEN = Path(__file__).parents[2] / "golden"
MEAN = Constraint("mean", 20.0, 60.0, bound="clt", price=0.001, evidence=Evidence(9, 40.0, 5.0, 4.0, 36.0, 44.0))


def edited(change, program=None):
    """A program after a person changed its JSON."""
    body = json.loads(to_json(program or Program("amount", Kind.NUMERIC, (MEAN,), runs=9)))
    change(body)
    return json.dumps(body)


def set_(**entries):
    return lambda body: body["clauses"][0].update(entries)


# --- stored for ever --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("program*.json")), ids=lambda f: f.name)
def test_every_stored_program_loads_for_ever(file):
    program = from_json(file.read_text(encoding="utf-8"))
    assert program.is_ready
    assert program.clauses
    assert explain(program)
    assert not check(demo_run(20), {"amount": program}, demo(20)).columns["amount"].not_evaluable


def test_version_1_means_what_it_meant():
    program = from_json((GOLDEN / "program-v1.json").read_text(encoding="utf-8"))
    assert (program.column, program.kind, program.learner, program.budget) == ("amount", Kind.NUMERIC, "paper", 0.001)
    assert [c.metric for c in program.clauses] == ["mean", "row_count", "complete_ratio"]
    mean, rows, complete = program.clauses
    assert (mean.low, mean.high) == pytest.approx((30.9406, 46.4764), abs=1e-4)
    assert rows.transform == Transform(lag=2)
    assert math.isinf(complete.high)
    assert complete.bound == "constant"
    assert "unit_change×10" in mean.faults
    assert program.responses.values.shape == (len(program.responses.faults), len(program.responses.metrics))
    assert to_json(program) + "\n" == (GOLDEN / "program-v1.json").read_text(encoding="utf-8")


# --- edited by hand ---------------------------------------------------------------------------------------------------


def judged(program):
    return [o.status for o in check(demo_run(9), {"amount": program}, demo(9)).columns["amount"].outcomes]


def test_a_changed_threshold_is_judged_and_is_the_users_own():
    program = from_json(edited(set_(low=100.0, high=200.0)))
    assert judged(program) == ["broken"]
    assert program.clauses[0].bound == "user"
    assert program.price == 0.0, "the price of another interval would be a false promise"
    assert "set by the user" in explain(program)


def test_a_wider_threshold_keeps_its_price():
    program = from_json(edited(set_(low=10.0, high=None)))
    assert judged(program) == ["holds"]
    assert program.clauses[0].high == math.inf
    assert (program.clauses[0].bound, program.price) == ("clt", 0.001)
    assert "at least 10" in explain(program)


def test_an_invariant_set_to_another_value_is_the_users_own():
    always = Evidence(9, 50.0, 0.0, 0.0, 50.0, 50.0)
    constant = Constraint("dist_val_count", 50.0, 50.0, bound="constant", price=1e-6, evidence=always)
    program = Program("state", Kind.CATEGORICAL, (constant,), runs=9)
    assert from_json(to_json(program)) == program
    assert from_json(edited(set_(low=51, high=51), program)).clauses[0].bound == "user"


def test_a_removed_clause_is_gone_and_the_rest_is_judged():
    program = learn(demo(9))["amount"]
    shorter = from_json(edited(lambda body: body["clauses"].pop(0), program))
    assert [c.metric for c in shorter.clauses] == [c.metric for c in program.clauses[1:]]
    assert judged(shorter) == judged(program)[1:]
    assert judged(from_json(edited(lambda body: body.update(clauses=[]), program))) == []


def test_a_clause_written_from_scratch_needs_a_metric_only():
    program = from_json(edited(lambda body: body.update(clauses=[{"metric": "max", "high": 1e6}])))
    assert program.clauses == (Constraint("max", -math.inf, 1e6),)
    assert judged(program) == ["holds"]


def test_a_misspelt_metric_is_not_evaluable_and_named():
    program = from_json(edited(set_(metric="meen")))
    (outcome,) = check(demo_run(9), {"amount": program}, demo(9)).columns["amount"].outcomes
    assert outcome.status == "not evaluable"
    assert "no metric is called 'meen'" in outcome.reason


# --- edited wrong -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (set_(low="ten"), r'clauses\[0\]\.low = "ten"'),
        (set_(low=True), r"clauses\[0\]\.low = true"),
        (set_(low=70), r"clauses\[0\] \(mean\): low 70 above high 60"),
        (set_(lowest=1), r"unknown entry 'clauses\[0\]\.lowest'"),
        (set_(price=-1), r"clauses\[0\]\.price = -1"),
        (set_(price="x"), r'clauses\[0\]\.price = "x"'),
        (set_(transform={"lag": -1}), r"clauses\[0\]\.transform\.lag = -1"),
        (set_(transform={"lag": 1.5}), r"clauses\[0\]\.transform\.lag = 1\.5"),
        (set_(transform={"leg": 1}), r"unknown entry 'clauses\[0\]\.transform\.leg'"),
        (set_(evidence={"runs": 3}), r"no entry 'clauses\[0\]\.evidence\.mean'"),
        (set_(faults="x"), r'clauses\[0\]\.faults = "x"'),
        (lambda body: body["clauses"][0].pop("metric"), r"no entry 'clauses\[0\]\.metric'"),
        (lambda body: body.update(clauses={}), r"clauses = \{\}"),
        (lambda body: body["clauses"].append(7), r"clauses\[1\] = 7"),
        (lambda body: body.update(kind="number"), r'kind = "number"'),
        (lambda body: body.pop("column"), r"no entry 'column'"),
        (lambda body: body.update(runs=-1), r"runs = -1"),
        (lambda body: body.update(budget=2), r"budget = 2"),
        (lambda body: body.update(colour="red"), r"unknown entry 'colour'"),
        (
            lambda body: body.update(responses={"faults": ["a"], "metrics": ["m"], "values": "AAAA"}),
            r"responses\.values",
        ),
    ],
)
def test_what_was_edited_wrong_is_named(change, named):
    with pytest.raises(ByHistoryError, match=named) as raised:
        from_json(edited(change))
    assert raised.value.todo


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '{"byhistory_program": 99}', "{}", "[" * 100_000])
def test_text_that_is_no_program_is_a_clear_error(text):
    with pytest.raises(ByHistoryError, match="Asked: read a program"):
        from_json(text)


def test_not_a_number_is_no_threshold():
    text = edited(lambda _: None).replace("20.0", "NaN", 1)
    with pytest.raises(ByHistoryError, match=r"clauses\[0\]\.low = NaN"):
        from_json(text)
