"""The folder of a run is one folder, whatever the label is, and one that file systems can make."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.errors import ByHistoryError
from byhistory.integrations.publish import LONGEST, folder_of


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_a_label_makes_one_folder_of_its_own_or_a_clear_error(one, other):
    try:
        a, b = folder_of(one), folder_of(other)
    except ByHistoryError:
        return
    assert (a == b) == (one == other)
    assert all(name not in ("", ".", "..") and not set(name) & set("/\\:*?\"<>|'` ") for name in (a, b))
    assert all(len(name.encode()) <= LONGEST for name in (a, b))


@pytest.mark.parametrize("label", ["価" * 100, "/" * 100])
def test_a_label_that_makes_too_long_a_name_is_refused_before_anything_is_written(label):
    with pytest.raises(ByHistoryError, match="shorter label"):
        folder_of(label)
