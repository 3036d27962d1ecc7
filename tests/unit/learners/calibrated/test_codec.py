"""What is expected of all metrics is written and read without a change."""

import numpy as np
from tests.histories import demo

from byhistory.learners import learn
from byhistory.learners.calibrated.codec import joint_from_json, joint_to_json


def the_same(one, other):
    assert (one.metrics, one.limits, one.prices) == (other.metrics, other.limits, other.prices)
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.curves.table, other.curves.table)
    np.testing.assert_array_equal(one.forecasts.centre, other.forecasts.centre)


def test_forecasts_with_their_prices_come_back():
    joint = learn(demo(20))["amount"].model
    the_same(joint_from_json(joint_to_json(joint)), joint)


def test_weights_and_limits_that_are_lists_are_read():
    joint = learn(demo(20))["amount"].model
    limits = joint.limits
    parts = [*map(list, (limits.budgets, limits.single, limits.joint)), limits.cases, list(map(list, limits.measured))]
    body = joint_to_json(joint) | {"weights": joint.weights.tolist(), "limits": parts}
    the_same(joint_from_json(body), joint)
