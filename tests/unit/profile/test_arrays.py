"""Work on whole arrays that numpy has no function for, or a slow one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from byhistory.profile.arrays import bit_length

below_2_to_53 = st.integers(0, 2**53 - 1)
powers_of_two = st.integers(0, 63).map(lambda k: 1 << k)


@given(st.lists(below_2_to_53 | powers_of_two))
def test_a_number_has_as_many_bits_as_python_says(numbers):
    assert bit_length(np.array(numbers, np.uint64)).tolist() == [n.bit_length() for n in numbers]
