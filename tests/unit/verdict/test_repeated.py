"""The run before, delivered again."""

import numpy as np
import pytest

from byhistory.learners import learn
from byhistory.rows.local import profile_table
from byhistory.verdict import check


def table(day, *, same="", run=None):
    """Three columns that change every day, of which some are yesterday's, and one that never does."""
    random = {name: np.random.default_rng([day - (name in same), at]) for at, name in enumerate("abc")}  # noqa: TID251 - a seed
    columns = {
        "a": random["a"].normal(size=40),
        "b": random["b"].integers(0, 1000, 40),
        "c": [f"k{k}" for k in random["c"].integers(0, 1000, 40)],
        "d": ["x"] * 40,
    }
    return profile_table(columns, run=f"{day if run is None else run:03}")


def found(past, now, **more):
    runs = [table(day) for day in range(past)]
    verdict = check(now, learn(runs), runs, **more)
    return [(f.level, f.sentence) for f in verdict.findings if f.about == "repeated run"]


@pytest.mark.parametrize(("past", "level"), [(30, "stop"), (9, "warn"), (5, None)])
def test_a_run_that_is_the_one_before_again_stops_once_enough_runs_were_different(past, level):
    said = found(past, table(past, same="abc"))
    assert [of for of, _ in said] == ([level] if level else [])


def test_it_is_told_how_much_is_the_same():
    assert found(30, table(30, same="abc")) == [
        ("stop", "the same data as the run before: 3 of 3 columns that always changed did not (a, b, c)")
    ]
    assert found(30, table(30, same="ab")) == [
        ("warn", "partly the same data as the run before: 2 of 3 columns that always changed did not (a, b)")
    ]
    assert not found(30, table(30, same="a"))
    assert not found(30, table(30))


def test_a_table_that_came_twice_before_may_come_twice_again():
    runs = [table(day // 2 * 2, run=day) for day in range(20)]
    assert not [f for f in check(table(18, run=20), learn(runs), runs).findings if f.about == "repeated run"]


def test_the_rule_can_be_turned_off():
    assert not found(30, table(30, same="abc"), always_off=["same again"])
