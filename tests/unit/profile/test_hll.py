"""The estimate of the number of distinct values."""

import numpy as np
import pytest
from tests.strategies import seeded

from byhistory.profile import hll


@pytest.mark.parametrize("distinct", [0, 1, 100, 5_000, 40_000, 100_000, 2_000_000])
def test_the_estimate_is_as_good_as_stated(distinct):
    errors = []
    for seed in range(8 if distinct < 10**6 else 3):
        hashes = seeded(seed).integers(0, 2**64, distinct, dtype=np.uint64)
        errors.append(hll.estimate(hll.registers_of(hashes)) / max(1, distinct) - bool(distinct))
    assert np.sqrt(np.mean(np.square(errors))) <= 2 * hll.ERROR
    assert max(map(abs, errors)) < 0.02


def test_registers_of_the_whole_are_the_greater_of_the_parts():
    hashes = seeded(1).integers(0, 2**64, 10_000, dtype=np.uint64)
    parts = [hll.registers_of(part) for part in np.array_split(hashes, 3)]
    assert np.array_equal(hll.registers_of(hashes), np.maximum.reduce(parts))
