import numpy as np
import pytest
from tests.histories import history, run

from byhistory.constraints import Constraint, Evidence, judge
from byhistory.learners import learn
from byhistory.series.transform import Transform
from byhistory.verdict import check
from byhistory.verdict.since import moving_since


@pytest.mark.parametrize("began", [15, 17, 19])
def test_the_run_at_which_a_drift_began_is_found(began):
    """Learned before the drift, then a step up every run, until the run that breaks."""

    def make(random, i):
        return {"n": random.normal(100.0, 0.5, 400) + (0.15 * (i - began + 1) if i >= began else 0.0)}

    runs = history(make, 60)
    programs = learn(runs[:14], 0.01, "paper")
    broken = next(v for at in range(14, 60) if not (v := check(runs[at], programs, runs[:at])).ok)
    found = next(f for f in broken.findings if f.outcome and f.outcome.constraint.metric == "mean")
    assert abs(int(found.since) - began) <= 1, "to the run, or to the next if the first step is within the noise"
    assert int(found.since) < int(broken.run)
    assert f"it has been moving since run {found.since}" in str(broken)


def test_a_sudden_break_began_with_this_run():
    runs = history(lambda random, _: {"n": random.normal(100.0, 1.0, 200)}, 14)
    verdict = check(run({"n": np.full(200, 1e6)}, 14), learn(runs, 0.001, "paper"), runs)
    assert {f.since for f in verdict.findings} == {"14"}
    assert "moving since" not in str(verdict)


MEAN = Constraint("mean", 0.0, 10.0, evidence=Evidence(9, 5.0, 1.0, 5.0, 4.0, 6.0))
RUNS = ("a", "b", "c")


def since(values, now, clause=MEAN):
    return moving_since(judge(clause, now, values), np.array(values), RUNS, "now")


def test_only_an_unbroken_row_on_the_same_side_counts():
    assert since([7.0, 8.0, 9.0], 11.0) == "a"
    assert since([7.0, 5.0, 9.0], 11.0) == "c"
    assert since([7.0, 8.0, 1.0], 11.0) == "now"
    assert since([7.0, np.nan, 9.0], 11.0) == "c"
    assert since([9.0, 3.0, 2.0], -1.0) == "b"


def test_a_change_is_followed_in_units_of_the_change():
    step = Constraint("mean", -2.0, 2.0, Transform(lag=1), evidence=Evidence(9, 0.0, 1.0, 2.0, 4.0, 6.0))
    assert since([5.0, 6.5, 8.0], 11.0, step) == "b"


def test_without_a_spread_or_a_number_it_began_now():
    assert since([1.0, 1.0, 1.0], 11.0, Constraint("mean", 0, 10)) == "now"
    assert since([1.0, 1.0, 1.0], np.inf) == "now"
    assert since([], 11.0) == "now"
