"""Quantiles against numpy on the raw values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import seeded

from byhistory.profile import Quantiles

shares = st.floats(0, 1)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60), shares)
def test_quantiles_of_few_values_are_numpys(values, share):
    mine = Quantiles.of(np.array(values)).at(share)
    assert mine == pytest.approx(float(np.quantile(values, share)), rel=1e-12, abs=1e-6)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), shares)
def test_quantiles_lie_between_the_smallest_and_the_largest_value(values, share):
    mine = Quantiles.of(np.array(values)).at(share)
    assert min(values) <= mine <= max(values)


@pytest.mark.parametrize("draw", ["normal", "lognormal", "exponential", "uniform", "standard_cauchy"])
def test_quantiles_of_many_values_are_within_one_percent_of_rank(draw):
    values = getattr(seeded(3), draw)(size=200_000)
    sketch = Quantiles.of(values).limited(1024).limited(320)
    asked = np.linspace(0.001, 0.999, 999)
    ranks = np.searchsorted(np.sort(values), sketch.at(asked)) / len(values)
    assert np.abs(ranks - asked).max() <= min(sketch.error, 0.005)


@given(st.integers(24, 400), st.integers(0, 2**32))
def test_a_sketch_has_no_more_buckets_than_asked_for(buckets, seed):
    values = seeded(seed).choice([0.0, 1.0, 2.5, 7.0], 2000) + np.where(
        seeded(seed).random(2000) < 0.5, 0, seeded(seed).random(2000)
    )
    sketch = Quantiles.of(values).limited(buckets)
    assert len(sketch.values) <= buckets
    assert sketch.count == 2000
    assert (np.diff(sketch.values) >= 0).all()


def test_a_frequent_value_stays_a_step():
    values = np.concatenate([np.zeros(5000), seeded(1).normal(size=5000)])
    sketch = Quantiles.of(values).limited(100)
    at = int(np.searchsorted(sketch.values, 0.0))
    assert sketch.values[at] == 0.0
    assert sketch.atoms[at]
    assert sketch.weights[at] == 5000


def test_of_no_values_nothing_is_known():
    assert np.isnan(Quantiles.of(np.zeros(0)).at(0.5))
