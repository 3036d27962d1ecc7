"""Arrays of numpy and of Arrow are each other's, whatever was cut off before them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from byhistory.rows.arrays import as_array, as_numpy

ARRAYS = (
    pa.array(range(-9, 21), pa.int8()),
    pa.array([2**64 - 1, 0, 7] * 10, pa.uint64()),
    pa.array([1.5, float("nan"), -0.0] * 10, pa.float32()),
    pa.array([True, False, False] * 10),
    pa.array([None, 1, 2] * 10, pa.int32()),
    pa.array([None, True] * 15),
    pa.chunked_array([[1, 2], [3]]),
    pa.array([], pa.int64()),
)


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.type))
@pytest.mark.parametrize("cut", [slice(None), slice(3, None), slice(9, 20), slice(5, 5)])
def test_numpy_gets_what_arrow_would_give_it(array, cut):
    expected = array[cut].to_numpy(**({} if isinstance(array, pa.ChunkedArray) else {"zero_copy_only": False}))
    mine = as_numpy(array[cut])
    assert mine.dtype == expected.dtype
    np.testing.assert_array_equal(mine, expected)


@pytest.mark.parametrize(
    "values", [np.arange(9), np.arange(9.0)[::2], np.zeros(0, np.uint8)], ids=["all", "some", "none"]
)
def test_arrow_gets_the_same_numbers(values):
    assert as_array(values).equals(pa.array(values))
