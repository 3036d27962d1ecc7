"""The columns of a run judged at once, and what that is worth."""

import math

import numpy as np
from tests.effort import calls
from tests.histories import demo, demo_run

from byhistory.learners import learn
from byhistory.learners.calibrated.as_table import joint_of
from byhistory.learners.calibrated.joint import having_seen
from byhistory.learners.calibrated.learner import CALIBRATED
from byhistory.metrics import ALL
from byhistory.verdict import Past, check, check_column
from byhistory.verdict.check import JudgedColumn, check_columns, measured

DAYS = 9
BY_NAME = {m.name: m for m in ALL}


def _judged() -> list[JudgedColumn]:
    runs = demo(DAYS, rows=100)
    past, batch = Past.of(runs), demo_run(DAYS, rows=30)
    measures = measured(batch, past, ALL)
    programs = learn(runs, 0.05, per="table", faults=())
    return [JudgedColumn(p, measures.reads(name), past.column(name), CALIBRATED) for name, p in programs.items()]


def test_columns_at_once_are_judged_as_one_by_one() -> None:
    columns = _judged()
    alone = [check_column(c.program, c.reads, c.past, BY_NAME, c.learner) for c in columns]
    assert repr(check_columns(columns, BY_NAME)) == repr(alone)  # as text: from Python 3.13 on, nan differs from nan
    assert any(verdict.broken for verdict in alone)


def test_what_columns_say_at_once_is_what_each_says_alone_to_the_last_digit() -> None:
    joints = [joint_of(c.program) for c in _judged()]
    reads = [np.array([c.reads.get(name, math.nan) for name in joint_of(c.program).metrics]) for c in _judged()]
    for joint, seen, values in zip(joints, having_seen(list(zip(joints, reads, strict=True))), reads, strict=True):
        assert seen.seen is not None
        assert np.array_equal(seen.surprises(values), joint.surprises(values))
        assert np.array_equal(seen.contributions(values[None]), joint.contributions(values[None]))
        other = np.where(np.isnan(values), 1.0, 2.0 * values)
        assert np.array_equal(seen.contributions(other), joint.contributions(other)), "another run is read anew"


def test_a_check_of_a_known_run_takes_a_few_hundred_calls_a_column() -> None:
    runs = demo(DAYS, rows=100)
    programs, past, batch = learn(runs, per="table", faults=()), Past.of(runs), demo_run(DAYS, rows=100)
    measures = measured(batch, past, ALL)
    check(batch, programs, past, measures=measures)
    assert calls(lambda: check(batch, programs, past, measures=measures)) < 1_000 * len(batch)
