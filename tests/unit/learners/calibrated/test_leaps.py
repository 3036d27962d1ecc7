"""A run that leaves its whole past behind by much is stopped, however wide its table is."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.strategies import seeded

from byhistory.learners import learn
from byhistory.learners.calibrated.codec import joint_from_json, joint_to_json
from byhistory.learners.calibrated.leaps import LEAPS, NEEDED, leap_ends, leaping
from byhistory.learners.calibrated.prices import shipped
from byhistory.metrics import by_name
from byhistory.rows.local import profile_table
from byhistory.verdict import check

COLUMNS = 12


def day(number, rows=300):
    """Twelve columns of numbers, none like another, and a text."""
    random = seeded(number)
    columns = {f"n{i}": (random.integers(10, 90, rows) * (i + 1)).tolist() for i in range(COLUMNS)}
    return {**columns, "name": [str(x) for x in random.choice(["ann", "bob", "eve"], rows)]}


RUNS = [profile_table(day(i), run=f"{i:03}") for i in range(30)]


def far_out(values):
    return [300_000, *values[1:]]


def negated(values):
    return [-v if i % 10 == 0 else v for i, v in enumerate(values)]


def with_decimals(values):
    return [v * 1.01 for v in values]


def missing(values):
    return [None if i % 12 == 0 else v for i, v in enumerate(values)]


@pytest.mark.parametrize("fault", [far_out, negated, with_decimals, missing])
def test_what_never_was_is_stopped_in_one_column_of_many(fault):
    programs = learn(RUNS, 0.01)
    good = day(99)
    assert check(profile_table(good, run="099"), programs, RUNS).level != "stop"
    bad = {**good, "n3": fault(good["n3"])}
    verdict = check(profile_table(bad, run="099"), programs, RUNS)
    assert verdict.level == "stop"
    assert {f.column for f in verdict.findings if f.level == "stop"} == {"n3"}


def test_every_leap_is_of_a_known_metric_and_of_one_only():
    names = [leap.metric for leap in LEAPS]
    assert len(set(names)) == len(names)
    assert all(by_name(name) for name in names)


def test_nothing_leaps_before_there_are_enough_runs():
    metrics = ["row_count", "complete_ratio"]
    past = np.array([[100.0] * NEEDED, [1.0] * NEEDED])
    assert np.isfinite(leap_ends(metrics, past)[1, 0])
    assert not np.isfinite(leap_ends(metrics, past[:, 1:])).any()


def test_no_past_run_would_have_leapt():
    joint = learn(RUNS)["n3"].model
    reads = np.array([[p.columns["n3"].rows, 1.0] for p in RUNS])
    ends = leap_ends(["row_count", "complete_ratio"], reads.T)
    assert not leaping(ends, reads).any()
    assert not leaping(joint.leap_ends, np.full(len(joint.metrics), np.nan)).any()


def test_one_leap_adds_once_however_many_metrics_leap():
    joint = learn(RUNS)["n3"].model
    ends = np.where(np.isfinite(joint.leap_ends), joint.leap_ends, 0.0)
    beyond = np.where(np.isfinite(joint.leap_ends[:, 0]), ends[:, 0] - 1.0, ends[:, 1] + 1.0)
    asked = np.isfinite(joint.leap_ends).any(axis=1)
    assert asked.sum() > 2
    values = np.where(asked, beyond, np.nan)
    assert joint.added_by_leaps(values).sum() == pytest.approx(shipped().leap)


def test_leaps_come_back_from_json_and_older_models_have_none():
    joint = learn(RUNS)["n3"].model
    body = json.loads(json.dumps(joint_to_json(joint)))
    again = joint_from_json(body)
    np.testing.assert_array_equal(again.leap_ends, joint.leap_ends)
    assert again.leap == joint.leap > 0.0
    older = joint_from_json({k: v for k, v in body.items() if k not in ("leap", "leaps")})
    assert older.leap_ends is None
    values = joint.leap_ends.max(axis=1) + 1.0
    assert not older.added_by_leaps(values).any()
    assert replace(older, leap_ends=joint.leap_ends, leap=joint.leap).added_by_leaps(values).any()


def test_a_model_without_a_metric_has_none_of_its_leaps():
    joint = learn(RUNS)["n3"].model
    fewer = joint.without("complete_ratio")
    assert len(fewer.leap_ends) == len(fewer.metrics) == len(joint.metrics) - 1
