from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.constraints.words import number, percent


@given(st.floats(-1e14, 1e14).filter(lambda x: x == 0 or abs(x) > 1e-12))
def test_a_printed_number_reads_back_to_four_digits(value: float) -> None:
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=6e-4)


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_a_whole_number_keeps_all_its_digits(value: int) -> None:
    assert number(float(value)) == f"{value:,}"


@given(st.floats(0, 1e6))
def test_a_printed_share_reads_back(share: float) -> None:
    assert float(percent(share).removesuffix(" %").replace(",", "")) == pytest.approx(100 * share, rel=0.06, abs=1e-6)


@pytest.mark.parametrize(("value", "text"), [(407_889.98, "407,890"), (10_000.4, "10,000"), (-99_999.9, "-100,000")])
def test_zeros_before_the_decimal_point_stay(value: float, text: str) -> None:
    assert number(value) == text
