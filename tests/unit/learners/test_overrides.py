import math

from tests.histories import demo, demo_run

from byhistory.constraints import Constraint
from byhistory.learners import Override, Program, from_json, learn, overridden, to_json
from byhistory.profile import Kind
from byhistory.report.explain import explain
from byhistory.verdict import check

LEARNED = Program("amount", Kind.NUMERIC, (Constraint("mean", 30, 50), Constraint("min", 0, 9)), runs=9)


def metrics(program):
    return [c.metric for c in program.clauses]


def test_a_muted_metric_is_not_judged():
    assert metrics(overridden(LEARNED, [Override("amount", "min", mute=True)])) == ["mean"]
    assert overridden(LEARNED, [Override("amount", "max", mute=True)]) == LEARNED
    assert overridden(LEARNED, [Override("email", "min", mute=True)]) == LEARNED
    assert metrics(overridden(LEARNED, [Override("*", "min", mute=True)])) == ["mean"]


def test_a_threshold_replaces_what_was_learned_or_is_added():
    program = overridden(LEARNED, [Override("amount", "mean", high=45), Override("amount", "max", low=1, high=99)])
    assert metrics(program) == ["min", "mean", "max"]
    assert program.clauses[1] == Constraint("mean", -math.inf, 45)
    assert "mean at most 45 — set by the user" in explain(program)


def test_a_pinned_clause_stays_whatever_is_learned():
    pinned = learn(demo(9))["amount"].clauses[0]
    later = overridden(learn(demo(14))["amount"], [Override("amount", pinned.metric, pin=pinned)])
    (kept,) = [c for c in later.clauses if c.metric == pinned.metric]
    assert (kept.low, kept.high) == (pinned.low, pinned.high)
    assert kept.is_pinned
    assert from_json(to_json(later)) == later


def test_of_two_decisions_the_later_wins():
    both = [Override("amount", "mean", low=1, high=2), Override("amount", "mean", mute=True)]
    assert metrics(overridden(LEARNED, both)) == ["min"]
    assert metrics(overridden(LEARNED, reversed(both))) == ["min", "mean"]


def test_a_threshold_judges_a_column_that_has_too_little_history_to_learn_from():
    waiting = Program("amount", Kind.NUMERIC, runs=2)
    program = overridden(waiting, [Override("amount", "mean", high=1.0)])
    verdict = check(demo_run(2), {"amount": program}, demo(2))
    assert [o.status for o in verdict.columns["amount"].outcomes] == ["broken"]
