"""The one judge says the same of one clause and of many, of one run and of many, wherever it is asked."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.histories import demo, demo_table, label

from byhistory.config import ALWAYS as ALWAYS_RULES
from byhistory.constraints import Constraint, judge
from byhistory.constraints.judge import BROKEN, HOLDS, NOT_EVALUABLE, Intervals, judge_runs
from byhistory.learners import ALL, learn
from byhistory.learners.judge import broken, judge_program
from byhistory.metrics import ALL as METRICS
from byhistory.metrics import by_name
from byhistory.rows.local import profile_table
from byhistory.series.transform import Transform
from byhistory.verdict import Past, check, measured

CODE = {"holds": HOLDS, "broken": BROKEN, "not evaluable": NOT_EVALUABLE}
values = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1.0, -1.0, 1e308, -1e308])
transforms = st.builds(Transform, st.integers(0, 3), st.booleans())
ends = st.tuples(st.floats(-1e6, 1e6) | st.just(-math.inf), st.floats(-1e6, 1e6) | st.just(math.inf)).map(sorted)
clauses = st.builds(lambda t, e: Constraint("m", e[0], e[1], t), transforms, ends)


@given(
    st.lists(clauses, min_size=1, max_size=4), st.lists(values, min_size=1, max_size=4), st.lists(values, max_size=4)
)
def test_many_clauses_on_many_runs_are_each_judged_as_if_alone(of, now, past):
    before = [past[-c.transform.lag] if 0 < c.transform.lag <= len(past) else math.nan for c in of]
    codes = judge_runs(Intervals.of(of), np.tile(np.array(now), (len(of), 1)), np.array(before))
    for clause, line in zip(of, codes, strict=True):
        assert [CODE[judge(clause, value, past).status] for value in now] == line.tolist()


@given(clauses, values, st.lists(values, max_size=4))
def test_what_is_judged_is_within_or_outside_and_never_nan(clause, now, past):
    outcome = judge(clause, now, past)
    assert (outcome.status == "not evaluable") == bool(outcome.reason)
    if math.isnan(now):
        assert outcome.status == "not evaluable"


RUNS = demo(20)
GOOD, FEW = (profile_table(demo_table(20).slice(0, rows), run=label(20)) for rows in (400, 60))


@pytest.mark.parametrize("learner", ALL, ids=lambda learner: learner.name)
def test_a_check_of_a_run_is_what_programs_say_to_its_measures(learner):
    programs, past = learn(RUNS, 0.05, learner), Past.of(RUNS)
    stopped = 0
    for run in (GOOD, FEW):
        measures, verdict = measured(run, past, METRICS), check(run, programs, past, always_off=ALWAYS_RULES)
        for name, program in programs.items():
            series = past.column(name).series(METRICS)
            before = dict(zip((m.name for m in METRICS), series, strict=True))

            def read(names, of=measures, column=name):
                return of.of_column(column, names)[None]

            codes = judge_program(program, learner, read, before)
            said = [o for o in verdict.columns[name].outcomes if o.constraint.bound != "always"]
            assert sorted(codes[:, 0].tolist()) == sorted(CODE[o.status] for o in said)
            stopped += int((codes == BROKEN).sum())
    assert stopped > 0


@pytest.mark.parametrize("learner", ALL, ids=lambda learner: learner.name)
def test_a_clause_is_said_to_catch_what_it_breaks_on(learner):
    for program in learn(RUNS, 0.01, learner).values():
        series = Past.of(RUNS[:-1] if learner.spoils_last_run else RUNS).column(program.column).series(METRICS)
        before = dict(zip((m.name for m in METRICS), series, strict=True))

        def after(names, of=program):
            return learner.after_faults(of, of.responses, names)

        stops = broken(program, learner, after, before)
        for clause, line in zip(program.clauses, stops, strict=True):
            caught = {fault for fault, is_broken in zip(program.responses.faults, line, strict=True) if is_broken}
            assert set(clause.faults) <= caught


@pytest.mark.parametrize("learner", ALL, ids=lambda learner: learner.name)
def test_a_program_without_clauses_breaks_nothing(learner):
    (program, *_) = learn(RUNS[:3], 0.01, learner).values()
    assert judge_program(program, learner, lambda names: np.zeros((5, len(names))), {}).shape == (0, 5)


def test_a_run_is_measured_once():
    measured_on = []

    def compute(profile):
        measured_on.append(profile)
        return float(profile.rows)

    metrics = (*METRICS, replace(by_name("row_count"), name="counted", compute=compute))
    programs, past = learn(RUNS, 0.05, metrics=metrics), Past.of(RUNS)
    assert not check(FEW, programs, past, metrics=metrics).ok
    assert sum(profile is FEW[name] for name in FEW for profile in measured_on) == len(FEW)
