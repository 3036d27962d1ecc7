"""The interval of a rate is that of Clopper and Pearson, as scipy's statistics have it."""

import math

import pytest
from scipy.stats import binomtest

from byhistory.learners.rate import Rate


@pytest.mark.parametrize(
    ("stopped", "judged"), [(0, 1), (1, 1), (0, 216), (3, 100), (50, 100), (216, 216), (7, 100_000)]
)
def test_an_interval_is_the_exact_one(stopped, judged):
    exact = binomtest(stopped, judged).proportion_ci(0.95, method="exact")
    assert Rate(stopped, judged).interval == pytest.approx((exact.low, exact.high), rel=1e-9, abs=1e-12)


def test_of_nothing_nothing_is_known():
    assert math.isnan(Rate(0, 0).share)
    assert all(math.isnan(end) for end in Rate(0, 0).interval)
