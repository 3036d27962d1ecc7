"""A column and its hard cases."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from byhistory.errors import BadInput
from byhistory.inject import ALL, Column, inject, of_kind, responses
from byhistory.metrics import of_kind as metrics_of
from byhistory.profile import Kind
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field, Options
from byhistory.rows.local import kind_of, profile_table

BY_NAME = {fault.name: fault for fault in ALL}
HARD = {
    "int64": pa.array([3, -7, None, 3, 0]),
    "large int64": pa.array([2**63 - 1, -(2**63), None, 2**60 + 1]),
    "uint64": pa.array([2**63 - 1, 5, None], pa.uint64()),
    "int8": pa.array([-128, 127, None], pa.int8()),
    "float64": pa.array([1.5, -0.0, 0.0, None, 1e300, float("inf")]),
    "float32": pa.array([0.1, None, 2.5], pa.float32()),
    "decimal": pa.array([Decimal("12.34"), Decimal("0.10"), None], pa.decimal128(10, 2)),
    "text": pa.array(["a", "", None, "é日😀", "a"]),
    "large text": pa.array(["a", "bb", None], pa.large_string()),
    "boolean": pa.array([True, False, None, True]),
    "date": pa.array([19_000, None, 1], pa.int32()).cast(pa.date32()),
    "timestamp ns": pa.array([1_700_000_000_123_456_789, None], pa.timestamp("ns")),
    "timestamp ms": pa.array([1_700_000_000_123, None], pa.timestamp("ms", "UTC")),
    "binary": pa.array([b"\xff", b"", None]),
}


@pytest.mark.parametrize("name", ["text", "large text", "boolean", "binary"])
def test_the_codes_of_texts_are_the_hashes_of_their_profile(name):
    kind, options = kind_of(HARD[name].type), Options(key=b"k")
    column = Column(HARD[name], kind)
    profile = profile_array(column.array, Field("c", kind, ""), options)
    expected = np.unique(column.codes(options)[column.present])
    np.testing.assert_array_equal(np.sort(profile.values.ids), expected)


@pytest.mark.parametrize("array", HARD.values(), ids=HARD)
def test_values_have_the_same_code_if_and_only_if_they_are_equal(array):
    column = Column(array, kind_of(array.type))
    codes, values = column.codes(Options())[column.present], column.values.to_pylist()
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            assert (codes[i] == codes[j]) == (a == b)


@pytest.mark.parametrize("array", HARD.values(), ids=HARD)
def test_hard_values_survive_every_fault(array):
    kind = kind_of(array.type)
    column = Column(array, kind, (array.take(pa.array(np.arange(len(array))[::-1])),))
    for fault in of_kind(kind):
        after = inject(fault, column, 3)
        if after is not None:
            after.validate(full=True)
            assert not column.equals(after), fault.name


def test_integers_that_no_longer_fit_become_wider_and_then_floats():
    tenfold = BY_NAME["unit_change×10"]
    assert inject(tenfold, Column(pa.array([100], pa.int8()), Kind.NUMERIC)).type == pa.int64()
    assert inject(tenfold, Column(pa.array([2**62]), Kind.NUMERIC)).to_pylist() == [2.0**62 * 10]
    assert inject(tenfold, Column(pa.array([7], pa.int8()), Kind.NUMERIC)).type == pa.int8()


def test_decimals_keep_all_their_digits_where_nothing_changed():
    long = Decimal("12345678901234567890123456789012.34")
    array = pa.array([long] * 100, pa.decimal128(38, 2))
    after = inject(BY_NAME["increased_nulls_blank_1%"], Column(array, Kind.NUMERIC)).to_pylist()
    assert sorted(set(after)) == [Decimal("0.00"), long]
    assert after.count(long) == 99


def test_numbers_kept_as_text_are_numbers_if_the_user_says_so():
    column = Column(pa.array(["1", "x", None]), Kind.NUMERIC)
    after = inject(BY_NAME["unit_change×10"], column).to_pylist()
    assert after[0] == 10.0
    assert np.isnan(after[1])
    assert after[2] is None


def test_a_megabyte_of_text_is_one_value():
    array = pa.array(["x" * (1 << 20), "é" * (1 << 19), None, "short"])
    column = Column(array, Kind.CATEGORICAL)
    happened = set()
    for fault in of_kind(Kind.CATEGORICAL):
        after = inject(fault, column, 1)
        if after is not None:
            after.validate(full=True)
            happened.add(fault.type)
    assert {"casing change", "volume change", "character insertion"} <= happened


def test_the_neighbour_is_the_nearest_column_of_the_same_kind():
    table = pa.table(
        {"far": [1], "text": ["a"], "here": [2], "flag": [True], "none": pa.nulls(1, pa.int64()), "near": [3.0]}
    )
    assert Column.of_table(table, "here", Kind.NUMERIC).neighbour.to_pylist() == [1]
    assert Column.of_table(table.drop_columns(["far"]), "here", Kind.NUMERIC).neighbour.to_pylist() == [3.0]
    assert Column.of_table(table, "text", Kind.CATEGORICAL).neighbour is None
    assert inject(BY_NAME["schema_change_100%"], Column.of_table(table, "text", Kind.CATEGORICAL)) is None


def test_digits_of_an_exponent_are_left_alone():
    column = Column(pa.array([1.5e-300] * 200), Kind.NUMERIC)
    for name in ("character_perturbation_100%", "character_insertion_50%", "character_deletion_50%"):
        values = inject(BY_NAME[name], column, 1).to_numpy()
        assert ((values < 1e-297) & (values >= 0)).all()


def test_a_sample_of_another_table_is_a_clear_error():
    p = profile_table({"a": [1]})
    with pytest.raises(BadInput, match="'b'"):
        responses(p.sample, "b", p["a"], None, metrics_of(Kind.NUMERIC), field=Field("b", Kind.NUMERIC, ""))


def test_a_run_without_a_sample_still_has_the_faults_that_its_profile_tells():
    p = profile_table({"a": list(range(100))}, sample_rows=0)
    r = responses(p.sample, "a", p["a"], p["a"], metrics_of(Kind.NUMERIC), field=Field("a", Kind.NUMERIC, ""))
    line = dict(zip(r.metrics, r.values[r.faults.index("volume_change×2")], strict=True))
    assert line["row_count"] == 200
    assert line["mean"] == 49.5
    assert {f.type for f in ALL if f.name in r.faults} == {"volume change", "increased nulls"}
