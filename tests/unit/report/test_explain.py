import math
from dataclasses import replace

import pytest
from tests.histories import demo

from byhistory.constraints import Constraint, Evidence
from byhistory.constraints.constraint import JOINT
from byhistory.constraints.words import amount, number, once_in, percent
from byhistory.learners import Program, learn
from byhistory.metrics import by_name
from byhistory.profile import Kind
from byhistory.report.explain import clause_in_words, explain
from byhistory.series.transform import Transform


def said(metric, low, high, kind=Kind.NUMERIC, **more):
    return clause_in_words(Constraint(metric, low, high, **more), by_name(metric), kind, {"x": "values doubled"})


ROWS = Evidence(30, 101_543, 1_000, 3.3, 99_800, 103_400)


def test_the_sentence_of_the_issue():
    assert said("row_count", 98_210, 104_877, price=0.001, bound="clt", evidence=ROWS) == (
        "row_count between 98,210 and 104,877 — the last 30 runs stayed within 99,800–103,400; "
        "a good run breaks this less than once in 1,000 (clt)"
    )


def test_a_comparison_names_the_run_and_what_it_catches():
    steps = said("row_count", -3_000, 5_000, transform=Transform(7), price=0.0005, bound="clt", faults=("x",))
    assert steps == (
        "row_count, compared with the run 7 runs before, between -3,000 and +5,000; "
        "a good run breaks this less than once in 2,000 (clt); catches values doubled"
    )
    growth = said("row_count", math.log(0.5), math.log(2), transform=Transform(1, log=True))
    assert growth.startswith("row_count, compared with the run before, between ×0.5 and ×2")


def test_what_is_only_warned_about_is_told_beside_what_stops():
    assert "between 80 and 120 (a warning unless between 90 and 110)" in said(
        "row_count", 80, 120, warn_low=90.0, warn_high=110.0
    )
    assert "(a warning unless at least 90)" in said("row_count", 80, math.inf, warn_low=90.0)
    together = clause_in_words(Constraint(JOINT, -math.inf, 5.881, warn_high=2.629), None, Kind.NUMERIC)
    assert together.startswith("surprise of all metrics together at most 5.88 (a warning from 2.63 on)")


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        (("complete_ratio", 0.97, math.inf), "complete_ratio at least 97 %"),
        (("ks_dist", -math.inf, 0.25), "ks_dist at most 0.25"),
        (("mean", -math.inf, math.inf), "mean may be anything"),
    ],
)
def test_one_open_end_is_at_least_or_at_most(clause, words):
    assert said(*clause) == f"{words} — set by the user"


def test_an_invariant_is_exactly_what_it_always_was():
    always = Evidence(12, 50.0, 0.0, 0.0, 50.0, 50.0)
    clause = said("dist_val_count", 50 - 5e-8, 50 + 5e-8, bound="constant", price=1e-6, evidence=always)
    assert clause == (
        "dist_val_count exactly 50 — the last 12 runs were all 50; "
        "a good run breaks this less than once in 1,000,000 (constant)"
    )


def test_times_read_as_times_and_counts_of_a_time_column_as_counts():
    assert "between 2023-11-14 22:13:20 and 2023-11-15" in said("max", 1.7e9, 1_700_006_400, kind=Kind.TEMPORAL)
    step = said("max", 79_200, 93_600, kind=Kind.TEMPORAL, transform=Transform(1))
    assert "between +22 hours and +1.0833 days" in step
    assert "between -1,850 and +1,851" in said("row_count", -1850.2, 1851, Kind.TEMPORAL, transform=Transform(1))


def test_pinned_and_unknown_metrics_are_said_too():
    assert said("mean", 0, 1, is_pinned=True).endswith("; pinned")
    program = Program("n", Kind.NUMERIC, (Constraint("my own", 0.0, 1e-9),), runs=9)
    assert "my own between 0 and 1e-9" in explain(program)


def test_every_number_of_a_learned_clause_is_in_its_explanation():
    for program in learn(demo(14), 0.001, "paper").values():
        text = explain(program)
        assert text.startswith(f"{program.column} ({program.kind}): {len(program.clauses)} constraint")
        assert f"at most {percent(program.price)} of the time (budget 0.1 %)" in text
        for line, clause in zip(text.splitlines()[1:], program.clauses, strict=True):
            assert line.startswith(f"  - {clause.metric}")
            assert clause.bound in line
            assert once_in(clause.price) in line
            for usual in (clause.evidence.usual_low, clause.evidence.usual_high):
                assert amount(usual, by_name(clause.metric), program.kind) in line
            assert "catches " in line


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (math.nan, "undefined"),
        (math.inf, "unlimited"),
        (1e308, "1e+308"),
        (5e-324, "4.9407e-324"),
    ],
)
def test_numbers_at_the_ends_of_the_range_can_be_written(value, words):
    assert number(value) == words


def test_nothing_steady_is_said_to_be_so():
    assert explain(Program("n", Kind.NUMERIC, runs=9)) == "n: nothing about this column is steady enough to check"


def test_a_limit_that_no_run_can_reach_is_not_told():
    evidence = Evidence(60, 300.0, 100.0, 1.0, 21.0, 587.0)
    clause = Constraint("row_count", -math.inf, 1.6e42, bound="measured", evidence=evidence, warn_high=1.1e15)
    told = clause_in_words(clause, by_name("row_count"), Kind.NUMERIC)
    assert told.startswith("row_count may be anything — the last 60 runs stayed within 21–587")
    near = clause_in_words(replace(clause, high=1_000.0, warn_high=900.0), by_name("row_count"), Kind.NUMERIC)
    assert near.startswith("row_count at most 1,000 (a warning unless at most 900)")
