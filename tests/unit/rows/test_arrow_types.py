"""Every type of Arrow gives the right number, is said to be measured in part, or is a clear error."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from byhistory.errors import BadInput
from byhistory.profile import Kind, from_bytes, to_bytes
from byhistory.rows.local import profile_table

SMALL = [3, 1, 2]
NUMBERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
NUMBERS += [pa.float16(), pa.float32(), pa.float64(), pa.decimal128(22, 2), pa.decimal256(40, 2)]
OPAQUE = [pa.time32("s"), pa.time64("ns"), pa.duration("us")]


@pytest.mark.parametrize("type_", NUMBERS, ids=str)
def test_numbers_are_the_same_in_every_type(type_):
    values = np.array(SMALL, np.float16) if type_ == pa.float16() else SMALL
    numbers = profile_table({"n": pa.array(values).cast(type_)})["n"].numbers
    assert (numbers.count, numbers.low, numbers.high, numbers.mean, numbers.sum) == (3, 1.0, 3.0, 2.0, 6.0)


def test_numbers_above_two_to_the_63_are_exact():
    values = [2**63 + 5, 2**64 - 1, 3]
    numbers = profile_table({"n": pa.array(values, pa.uint64())})["n"].numbers
    assert numbers.exact_sum == sum(values)
    assert (numbers.low, numbers.high) == (3.0, float(2**64 - 1))
    assert numbers.negatives == 0


def test_numbers_above_two_to_the_63_are_told_apart():
    values = [0, 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
    assert profile_table({"n": pa.array(values, pa.uint64())})["n"].distinct == len(values)


@pytest.mark.parametrize("scale", [-3, 0, 38])
def test_a_decimal_of_any_scale_is_kept(scale):
    one = Decimal(1).scaleb(-scale)
    column = profile_table({"n": pa.array([one, 7 * one], pa.decimal128(38, scale))})["n"]
    assert from_bytes(to_bytes(column)) == column
    assert column.numbers.sum == pytest.approx(float(8 * one))


def test_half_floats_keep_what_is_no_number_apart():
    numbers = profile_table({"n": pa.array(np.array([np.nan, np.inf, -np.inf, 60000], np.float16))})["n"].numbers
    assert (numbers.nans, numbers.pos_infs, numbers.neg_infs, numbers.mean) == (1, 1, 1, 60000.0)


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (["9" * 70, "-1", "1" + "0" * 50, "1" + "0" * 50], pa.decimal256(76, 0)),
        (["0." + "0" * 60 + "1", "0.5", "-0.25", "0.5"], pa.decimal256(76, 70)),
        (["1" + "0" * 37 + ".5", "7", "7", "-3"], pa.decimal256(60, 2)),
        (["1E+5", "3E+5", "-2E+5", "3E+5"], pa.decimal128(10, -5)),
    ],
)
def test_a_decimal_that_is_long_or_ends_in_zeros_has_the_right_numbers(values, type_):
    decimals = [Decimal(v) for v in values]
    floats = [float(d) for d in decimals]
    column = profile_table({"n": pa.array([*decimals, None], type_)})["n"]
    assert (column.nulls, column.distinct, column.numbers.negatives) == (1, 3.0, sum(f < 0 for f in floats))
    assert column.numbers.low == pytest.approx(min(floats), rel=1e-15)
    assert column.numbers.high == pytest.approx(max(floats), rel=1e-15)
    assert column.numbers.sum == pytest.approx(sum(floats), rel=1e-15)
    assert from_bytes(to_bytes(column)) == column


def test_decimals_that_end_in_zeros_are_whole():
    numbers = profile_table({"n": pa.array([Decimal("1E+5")], pa.decimal128(10, -5))})["n"].numbers
    assert (numbers.low, numbers.sum) == (1e5, 1e5)


def test_a_long_decimal_is_the_same_value_in_every_chunk():
    short, long = [Decimal(7), Decimal(10**30), None], [Decimal(7), Decimal(10**30), Decimal(10**50)]
    parts = pa.chunked_array([pa.array(part, pa.decimal256(60, 0)) for part in (short, long)])
    assert profile_table({"n": parts})["n"].distinct == 3.0


@pytest.mark.parametrize("type_", OPAQUE, ids=str)
def test_of_a_column_whose_values_nothing_is_measured_on_nulls_and_size_are(type_):
    found = profile_table({"n": SMALL, "t": pa.array([*SMALL[:2], None], type_)})
    assert (found["t"].rows, found["t"].nulls, found["t"].lengths.count) == (3, 1, 2)
    assert found.notices == (f"column 't': of {type_} only presence, nulls and size are measured",)


def test_an_extension_type_is_measured_as_what_it_is_made_of():
    made = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16, b"b" * 16, None], pa.binary(16)))
    found = profile_table({"id": made})["id"]
    assert (found.kind, found.nulls, found.distinct) == (Kind.BINARY, 1, 2.0)


def _views():
    """Columns of the types that came after the oldest Arrow that we declare."""
    if not hasattr(pa, "string_view"):
        return []
    text, data = pa.array(["a", "b", "a"], pa.string_view()), pa.array([b"a", b"b", b"a"], pa.binary_view())
    return [(text, Kind.CATEGORICAL), (data, Kind.BINARY)]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array(["a", "b", "a"]).dictionary_encode(), Kind.CATEGORICAL),
        *_views(),
        (pa.RunEndEncodedArray.from_arrays([1, 2, 3], ["a", "b", "a"]), Kind.CATEGORICAL),
    ],
)
def test_another_way_to_write_values_down_changes_nothing(column, kind):
    found = profile_table({"c": column})["c"]
    assert (found.kind, found.rows, found.nulls) == (kind, 3, 0)
    if found.values is not None:
        assert found.distinct == 2.0


class _Ours(pa.ExtensionType):
    """A type of somebody else around any other."""

    def __init__(self, inner):
        super().__init__(inner, f"tests.of_{inner}")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, _serialized):
        return cls(storage_type)


PLAIN = {
    "numbers": pa.array([5, 7, None]),
    "above 2**63": pa.array([2**64 - 1, 7, None], pa.uint64()),
    "half floats": pa.array([np.float16(5), np.float16(7), None], pa.float16()),
    "long decimals": pa.array([Decimal(10**50), Decimal(7), None], pa.decimal256(76, 2)),
    "text": pa.array(["a", "bb", None]),
    "truth values": pa.array([True, False, None]),
    "times": pa.array([1, 2, None], pa.timestamp("us", "UTC")),
    "durations": pa.array([1, 2, None], pa.duration("s")),
    "bytes": pa.array([b"a", b"b", None], pa.binary(1)),
    "lists": pa.array([[1], [2, 3], None]),
    "maps": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    "lists of a type of somebody else": pa.ListArray.from_arrays(
        pa.array([0, 1, 2, 2], pa.int32()), pa.array([b"a" * 16, b"b" * 16]).cast(pa.binary(16)).cast(pa.uuid())
    ),
}
WRAPS = {
    "as it is": lambda a: a,
    "codes": lambda a: pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), a),
    "runs": lambda a: pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), a),
    "a type of somebody else": lambda a: pa.ExtensionArray.from_storage(_Ours(a.type), a),
}


@pytest.mark.parametrize("outer", WRAPS)
@pytest.mark.parametrize("inner", WRAPS)
@pytest.mark.parametrize("what", PLAIN)
def test_whatever_values_are_wrapped_in_twice_they_are_the_same(what, inner, outer):
    right = profile_table({"c": PLAIN[what]})["c"]
    wrapped = WRAPS[outer](WRAPS[inner](PLAIN[what]))
    for column in (wrapped, pa.chunked_array([wrapped[:1], wrapped[1:]])):
        found = profile_table({"c": column})["c"]
        assert to_bytes(replace(found, type=right.type)) == to_bytes(right)
    assert profile_table(pa.table({"c": wrapped}).slice(0, 0))["c"].rows == 0


def test_what_arrow_itself_cannot_read_names_the_column_and_a_way_on():
    runs = pa.RunEndEncodedArray.from_arrays([1, 2], ["a", "b"])
    broken = pa.StructArray.from_arrays([runs], ["x"], mask=pa.array([True, False]))
    with pytest.raises(BadInput, match=r"Column 's'.*exclude the column, or cast it before"):
        profile_table(pa.table({"s": broken}))
