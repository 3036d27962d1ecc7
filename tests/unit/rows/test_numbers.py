"""Numbers of all types and sizes against exact arithmetic."""

import datetime as dt
import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import seeded

from byhistory.profile import ColumnProfile, Kind, Numbers
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def profiled(array: pa.Array, **options: object) -> ColumnProfile:
    return profile_table({"c": array}, **options)["c"]


def numbers(array: pa.Array) -> Numbers:
    found = profiled(array).numbers
    assert found is not None
    return found


finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e150, 1e150)


@given(st.lists(moderate, min_size=2, max_size=50))
def test_mean_and_spread_are_those_of_exact_arithmetic(values):
    found = numbers(pa.array(values))
    largest = max(map(abs, values)) or 1.0
    exact = [Fraction(v) / Fraction(largest) for v in values]  # as squares of tiny numbers are no floats
    mean = sum(exact) / len(exact)
    spread = math.sqrt(float(sum((v - mean) ** 2 for v in exact) / (len(exact) - 1))) * largest
    mean *= Fraction(largest)
    assert found.mean == pytest.approx(float(mean), rel=1e-12, abs=largest * 1e-14)
    assert found.std == pytest.approx(spread, rel=1e-9, abs=largest * 1e-13)


@given(st.lists(finite, min_size=1, max_size=50))
def test_no_finite_value_makes_a_number_that_is_none(values):
    found = numbers(pa.array(values))
    assert found.low == min(values)
    assert found.high == max(values)
    assert math.isfinite(found.mean)
    assert math.isfinite(found.spread) or max(map(abs, values)) > 1e307
    assert found.low - 1e-9 * abs(found.low) <= found.mean <= found.high + 1e-9 * abs(found.high)


def test_a_small_spread_far_from_zero_is_not_lost():
    values = 1e9 + seeded(1).normal(0, 1e-3, 100_000)
    found = numbers(pa.array(values))
    assert found.std == pytest.approx(float(np.std(values - 1e9, ddof=1)), rel=1e-6)


def test_the_ends_of_the_range_of_a_float():
    found = numbers(pa.array([1e308, -1e308, 0.5e308]))
    assert (found.low, found.high) == (-1e308, 1e308)
    assert found.mean == pytest.approx(0.5e308 / 3)
    assert found.sum == pytest.approx(0.5e308)
    assert found.std == pytest.approx(1.0408e308, rel=1e-4)
    beyond = numbers(pa.array([1.7e308, 1.7e308, -1.7e308, -1.7e308, 1.7e308, 1.7e308]))
    assert math.isnan(beyond.sum)  # beyond the range: said to be undefined
    assert math.isnan(beyond.std)
    assert beyond.mean == pytest.approx(1.7e308 / 3)
    tiny = numbers(pa.array([5e-324, 5e-324, 1e-323]))
    assert (tiny.low, tiny.high, tiny.zeros) == (5e-324, 1e-323, 0)


def test_minus_zero_is_zero():
    profile = profiled(pa.array([0.0, -0.0, -0.0]))
    assert profile.distinct == 1
    assert profile.numbers is not None
    assert (profile.numbers.zeros, profile.numbers.negatives, profile.numbers.low) == (3, 0, 0.0)
    assert math.copysign(1, profile.numbers.low) == 1


def test_nan_and_infinities_are_counted_and_poison_nothing():
    profile = profiled(pa.array([1.0, math.nan, math.inf, -math.inf, 3.0, None, math.nan]))
    found = profile.numbers
    assert found is not None
    assert (profile.rows, profile.nulls, found.count, found.nans, found.pos_infs, found.neg_infs) == (7, 1, 2, 2, 1, 1)
    assert (found.mean, found.low, found.high, found.sum) == (2.0, 1.0, 3.0, 4.0)
    assert profile.distinct == 5


def test_nans_are_one_value_whatever_their_bits():
    odd = np.array([0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001], np.uint64).view(np.float64)
    assert profiled(pa.array(odd)).distinct == 1


@pytest.mark.parametrize("type_", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64()])
def test_sums_of_integers_are_exact_at_the_ends_of_their_type(type_):
    signed, bits = str(type_).startswith("int"), type_.bit_width
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    values = [low, high, high, high - 1, low]
    found = numbers(pa.array(values, type_))
    assert found.exact_sum == sum(values)
    assert (found.low, found.high, found.integers) == (float(low), float(high), 5)


@given(st.lists(st.integers(LOWEST, HIGHEST), max_size=40), st.integers(0, 40))
def test_integers_beyond_floats_stay_distinct_and_sum_exactly(values, cut):
    halves = [pa.array(values[:cut], pa.int64()), pa.array(values[cut:], pa.int64())]
    profile = profile_table({"c": pa.chunked_array(halves)})["c"]
    assert profile.numbers is not None
    assert profile.distinct == len(set(values))
    assert (profile.numbers.exact_sum or 0) == sum(values)


def test_a_number_has_one_hash_whatever_stands_beside_it_and_whatever_its_type():
    def ids(array: pa.Array) -> set[int]:
        table = profiled(array).values
        assert table is not None
        return set(table.ids.tolist())

    assert ids(pa.array([5])) <= ids(pa.array([5, HIGHEST]))
    assert ids(pa.array([5])) == ids(pa.array([5.0])) == ids(pa.array([5], pa.int8()))
    assert ids(pa.array([Decimal("2.50")])) == ids(pa.array([2.5]))
    assert ids(pa.array([Decimal("2.50")])) <= ids(pa.array([Decimal("2.50"), Decimal("9" * 35 + ".99")]))


WIDE = Context(prec=80)
wide_decimals = st.integers(-(10**38) + 1, 10**38 - 1)


@given(st.lists(wide_decimals | st.integers(-(10**4), 10**4), max_size=30), st.sampled_from([0, 2, 18, 38]))
def test_decimals_of_38_digits_stay_distinct_and_sum_exactly(unscaled, scale):
    values = [Decimal(v).scaleb(-scale, context=WIDE) for v in unscaled]
    profile = profiled(pa.array(values, pa.decimal128(38, scale)))
    found = profile.numbers
    assert found is not None
    assert profile.distinct == len(set(unscaled))
    assert (found.exact_sum or 0) == sum(unscaled)
    if values:
        assert found.low == pytest.approx(float(min(values)), rel=1e-15, abs=1e-300)
        assert found.high == pytest.approx(float(max(values)), rel=1e-15, abs=1e-300)


def test_neighbouring_decimals_near_the_limit_of_a_float_are_two():
    values = [Decimal(2**53 - 1).scaleb(-7), Decimal(2**53 - 2).scaleb(-7)]
    assert profiled(pa.array(values, pa.decimal128(38, 7))).distinct == 2


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps_of_all_units_are_seconds(unit, zone):
    when = [dt.datetime(1970, 1, 2), dt.datetime(2026, 3, 1, 12, 0, 30)]  # noqa: DTZ001 - the zone is the type's
    found = numbers(pa.array(when, pa.timestamp(unit)).cast(pa.int64()).cast(pa.timestamp(unit, zone)))
    assert (found.low, found.high) == (86_400.0, 1_772_366_430.0)


def test_dates_of_year_1_and_9999_and_far_beyond():
    days = pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), None])
    found = profiled(days)
    assert found.distinct == 2
    assert found.numbers is not None
    assert (found.numbers.low, found.numbers.high) == (-62_135_596_800.0, 253_402_214_400.0)
    ends = profiled(pa.array([-(2**31), 2**31 - 1, 0], pa.int32()).cast(pa.date32()))
    assert ends.distinct == 3
    assert ends.numbers is not None
    assert ends.numbers.high == (2**31 - 1) * 86_400.0


def test_timestamps_of_one_microsecond_apart_are_two_even_in_year_9999():
    late = 253_402_214_400 * 10**6
    assert profiled(pa.array([late, late + 1], pa.timestamp("us"))).distinct == 2


def test_text_read_as_numbers_counts_what_cannot_be_read():
    profile = profiled(pa.array(["1.5", " 2 ", "x", "1_000", "", None, "nan", "-1e3"]), kinds={"c": Kind.NUMERIC})
    assert profile.numbers is not None
    assert (profile.numbers.count, profile.numbers.nans, profile.numbers.sum) == (3, 4, -996.5)


@pytest.mark.parametrize("type_", [pa.float64(), pa.int64(), pa.decimal128(38, 2), pa.date32(), pa.timestamp("us")])
@pytest.mark.parametrize("rows", [0, 3])
def test_a_column_without_values_is_a_profile_without_values(type_, rows):
    profile = profiled(pa.nulls(rows, type_))
    assert (profile.rows, profile.nulls, profile.distinct) == (rows, rows, 0)
    assert profile.numbers is not None
    assert math.isnan(profile.numbers.std)
    assert profile.is_exact


def test_half_precision_and_single_precision_are_their_own_values():
    assert numbers(pa.array(np.array([0.1], np.float32))).low == float(np.float32(0.1))
    assert numbers(pa.array(np.array([0.1], np.float16))).low == float(np.float16(0.1))


def test_labels_are_written_as_the_column_would_write_them():
    options = Options(keep_values=True)
    values = profiled(
        pa.array([Decimal("1.50"), Decimal("9" * 36 + ".99")], pa.decimal128(38, 2)), options=options
    ).values
    assert values is not None
    assert values.labels is not None
    assert "9" * 36 + ".99" in values.labels.tolist()


def test_whole_numbers_whose_bits_are_no_float_give_no_warning():
    signalling = 0x800FFFFFFFFFFFFE - 2**64  # turned round, the bits of a signalling nan
    assert profile_table({"n": pa.array([signalling, 1, 2**62 + 1] * 3, pa.int64())})["n"].distinct == 3.0
