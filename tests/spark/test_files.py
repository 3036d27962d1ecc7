"""Files read directly give what Spark's reader gives, byte for byte."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.direct import CORRECTED, DIRECT, KEYED, assert_both_ways, assert_equal, assert_here, written
from tests.spark.test_battery import TYPES

from byhistory.errors import ByHistoryError
from byhistory.files.local import profile_files as profile_here
from byhistory.files.reader import reads_int96
from byhistory.profile import to_bytes
from byhistory.spark.failure import explained
from byhistory.spark.files import profile_files
from byhistory.spark.profiler import profile
from byhistory.spark.read import Source, read

pytestmark = pytest.mark.spark

MORE: dict[str, pa.Array] = {
    "u8": pa.array([0, 255, None, 1, 1], pa.uint8()),
    "u16": pa.array([0, 2**16 - 1, None, 1, 1], pa.uint16()),
    "u32": pa.array([0, 2**32 - 1, None, 1, 1], pa.uint32()),
    "u64": pa.array([0, 2**64 - 1, None, 1, 1], pa.uint64()),
    "cents": pa.array([Decimal("1.10"), None, Decimal("-9.99"), None, Decimal("0.00")], pa.decimal128(3, 2)),
    "pounds": pa.array([Decimal("1.10"), None, Decimal("-99999999.99"), None, Decimal("0.00")], pa.decimal128(14, 2)),
    "coded": pa.array(["a", "b", None, "a", ""]).dictionary_encode(),
    "large": pa.array(["a", "b", None, "a", ""], pa.large_string()),
    "fixed": pa.array([b"ab", b"cd", None, b"ab", b"  "], pa.binary(2)),
    "milli": pa.array([0, -1, None, 1_700_000_000_123, 5], pa.timestamp("ms", "UTC")),
    "wall_milli": pa.array([0, -1, None, 1_700_000_000_123, 5], pa.timestamp("ms")),
    "berlin": pa.array([0, -1, None, 1_700_000_000_123_456, 5], pa.timestamp("us", "Europe/Berlin")),
    "spans": pa.array([1, 2, None, 4, 5], pa.duration("us")),
    "rows": pa.array([[{"a": 1, "b": [1, 2]}], [], None, [None, {"a": None, "b": None}], []]),
    "deep": pa.array([{"l": [1], "m": {"x": "a", "y": [2, 3]}}, None, {"l": None, "m": None}, {"l": [], "m": {}}, {}]),
}


@pytest.mark.parametrize(
    "how", [{}, {"use_dictionary": False, "store_decimal_as_integer": True}], ids=["usual", "plain"]
)
def test_all_types_are_read_as_spark_reads_them(spark, tmp_path, how):
    path = written(tmp_path, pa.table(TYPES | MORE), **how)
    mine = assert_both_ways(spark, path, source=Source(path=str(path), options=CORRECTED))
    assert mine["u64"].type == "decimal(20,0)"
    assert mine["deep.m.y"].lengths is not None


FIVE = pa.array([1, 2, None, 4, 5])


PAIRS = pa.array([[1.0, 2.0]] * 5, pa.list_(pa.float64(), 2))


LISTS, TEXTS = [[1, 2], [], None, [3], [4]], pa.array(['{"a":1}', None, "[]", "1", "x"])


ODD: dict[str, pa.Array] = {  # old Arrow does not have all of these types
    "view": pa.array(LISTS, pa.list_view(pa.int64()) if hasattr(pa, "list_view") else pa.list_(pa.int64())),
    "tensor": pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float64(), [2]), PAIRS),
    "json": pa.ExtensionArray.from_storage(pa.json_(), TEXTS) if hasattr(pa, "json_") else TEXTS,
    "nothing": pa.nulls(5),
    "nothings": pa.array([[None], [], None, [None, None], []], pa.list_(pa.null())),
    "below": pa.array([{"x": None}, None] + [{"x": None}] * 3, pa.struct([("x", pa.null())])),
    "after": FIVE,
    "names": pa.array([{"a.b": 1, "c": {"d.e": "x"}}, None, {"a.b": 2, "c": None}, {}, {}]),
    "names.z": FIVE,
}


def test_columns_that_other_programs_give_a_meaning_are_read_as_they_are_stored(spark, tmp_path):
    path = written(tmp_path / "t", pa.table(ODD))
    assert list(assert_both_ways(spark, path)) == [
        *list(ODD)[:5],
        "below.x",
        "after",
        "names.a.b",
        "names.c.d.e",
        "names.z",
    ]
    assert_here(spark, path)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"i": pandas.interval_range(0, 5), "after": range(5)})
    (tmp_path / "p").mkdir()
    frame.to_parquet(tmp_path / "p" / "part-0.parquet")
    assert list(assert_both_ways(spark, tmp_path / "p")) == ["i.left", "i.right", "after"]
    assert_here(spark, tmp_path / "p")


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_text_that_is_written_as_changes_is_read(spark, tmp_path, encoding):
    if spark.version < "4" and encoding == "DELTA_LENGTH_BYTE_ARRAY":
        pytest.skip("Spark 3 reads other texts than were written")
    words = pa.table({"s": ["abc", "abd", None, "b"] * 1000})
    written(tmp_path, words, use_dictionary=False, column_encoding={"s": encoding})
    assert_both_ways(spark, tmp_path)
    assert_here(spark, tmp_path)


def test_what_only_spark_writes_is_read(spark, tmp_path):
    if spark.version < "4":
        pytest.skip("Spark 3 writes no columns without a type, and knows no collations")
    many = "select if(id % 3 = 0, null, cast(id % 700 as string)) s, 'k' || (id % 900) t, null v from range(60000)"
    small = {"parquet.writer.version": "v2", "parquet.dictionary.page.size": "2000", "parquet.block.size": "100000"}
    spark.sql(many).coalesce(1).write.options(**small).parquet(str(tmp_path / "v2"))
    assert assert_both_ways(spark, tmp_path / "v2")["v"].type == "void"
    assert_here(spark, tmp_path / "v2", in_order=False)
    compared = "'a' collate UTF8_LCASE c, array('b' collate UNICODE_CI) l, struct('b' collate UNICODE_CI as x) s"
    spark.sql(f"select {compared}").write.parquet(str(tmp_path / "c"))
    assert assert_both_ways(spark, tmp_path / "c")["c"].type == "string collate UTF8_LCASE"
    assert_here(spark, tmp_path / "c")


def test_times_of_every_encoding(spark, tmp_path):
    times = pa.table({"at": TYPES["at"].cast(pa.timestamp("us")), "n": [1, 2, 3, 4, 5]})
    new = times.slice(2)
    int96 = written(tmp_path / "int96", new, use_deprecated_int96_timestamps=True)
    assert assert_both_ways(spark, int96, direct=reads_int96())["at"].type == "timestamp"
    nanos = written(tmp_path / "nanos", new.set_column(0, "at", new["at"].cast(pa.timestamp("ns"), safe=False)))
    spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
    try:
        assert assert_both_ways(spark, nanos)["at"].type == "bigint"
    finally:
        spark.conf.unset("spark.sql.legacy.parquet.nanosAsLong")


def test_the_old_calendar_is_left_to_spark(spark, tmp_path):
    old = pa.table({"day": TYPES["day"], "at": TYPES["at"]})
    plain = written(tmp_path / "plain", old)
    assert_both_ways(spark, plain, source=Source(path=str(plain), options=CORRECTED))
    legacy = {b"org.apache.spark.version": b"3.5.0", b"org.apache.spark.legacyDateTime": b""}
    new = written(tmp_path / "legacy", old.slice(2, 2).replace_schema_metadata(legacy))
    assert_both_ways(spark, new)
    mine = assert_both_ways(spark, written(new, old.replace_schema_metadata(legacy)), direct=False)
    assert "old calendar" in mine.notices[0]


def test_files_of_different_columns(spark, tmp_path):
    first = pa.table({"a": [1, 2], "B": ["x", None], "s": [{"x": 1, "y": "a"}, None], "t": [1.5, None]})
    written(tmp_path, first, "a.parquet")
    written(tmp_path, pa.table({"b": ["y"], "A": [3], "more": [True], "s": [{"y": "b"}]}), "b.parquet")
    written(tmp_path, first.slice(0, 0), "c.parquet")
    told: list[str] = []
    for options in ({}, {"mergeSchema": "true"})[: 1 if spark.version < "4" else 2]:  # Spark 3 finds `a` there twice
        source = Source(path=str(tmp_path), options=options)
        mine = profile_files(spark, source, tell=told.append)
        assert_equal(mine, profile(read(spark, source)), in_order=False)
    assert all(line.startswith(DIRECT) for line in told), told
    assert (mine.rows, mine["a"].nulls, mine["s.x"].nulls) == (3, 0, 2)


BROKEN: dict[str, Callable[[Path], Any]] = {
    "double and not bigint": lambda file: pq.write_table(pa.table({"a": [3.0]}), file),
    "footer": lambda file: file.write_bytes(b"PAR1" + b"x" * 500 + b"PAR1"),
    "magic bytes": lambda file: file.write_bytes(b"no Parquet, but text" * 9),
    "cannot be read": lambda file: file.write_bytes(b"\0" * 400 + _large(file).read_bytes()[400:]),
}


def _large(file: Path) -> Path:
    pq.write_table(pa.table({"a": range(1000)}), file)
    return file


@pytest.mark.parametrize("why", BROKEN)
def test_a_file_that_nobody_can_read_is_named(spark, tmp_path, why):
    written(tmp_path, pa.table({"a": [1, 2]}), "a.parquet")
    BROKEN[why](tmp_path / "broken.parquet")
    told: list[str] = []
    with pytest.raises(ByHistoryError, match=r"broken\.parquet"), explained("read them"):
        profile_files(spark, str(tmp_path), tell=told.append)
    assert why in told[0]


WIDER = [
    (pa.int64(), [pa.int32(), pa.int16(), pa.uint8()]),
    (pa.float64(), [pa.float32(), pa.int32()]),
    (pa.decimal128(30, 3), [pa.decimal128(9, 2), pa.decimal128(20, 3), pa.int32()]),
    (pa.string(), [pa.string()]),
]


def test_a_column_whose_type_only_widens_is_read_directly(spark, tmp_path):
    if spark.version < "4":
        pytest.skip("Spark 3 does not read it")
    for n, (wide, narrow) in enumerate(WIDER):
        path = tmp_path / str(n)
        for i, type_ in enumerate([wide, *narrow]):
            written(path, pa.table({"a": pa.array([i, None, i + 1], pa.int16()).cast(type_)}), f"{i}.parquet")
        mine = profile_files(spark, str(path), options=KEYED, tell=(told := []).append)
        assert told[0].startswith(DIRECT), told
        assert_equal(mine, profile(read(spark, Source(path=str(path))), options=KEYED), in_order=False)
        assert {n: to_bytes(c) for n, c in profile_here(str(path), options=KEYED).columns.items()} == {
            n: to_bytes(c) for n, c in mine.columns.items()
        }


def test_a_table_without_rows_and_a_choice_without_columns(spark, tmp_path):
    assert_both_ways(spark, written(tmp_path / "empty", pa.table(TYPES).slice(0, 0)))
    assert assert_both_ways(spark, written(tmp_path / "some", pa.table({"n": [1, 2]})), exclude=["n"]).rows == 2


# ------------------------------------------------------------------------------------------------------------ the law


def test_dates_of_spark_2_are_dates(spark, tmp_path):
    """Spark writes in the old calendar if it is told to; what it wrote is read as it reads it."""
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY")
    try:
        rows = [(dt.date(1500, 3, 1), "a"), (dt.date(2026, 1, 1), None)]
        spark.createDataFrame(rows, "day date, s string").coalesce(1).write.parquet(str(tmp_path / "t"))
    finally:
        spark.conf.unset("spark.sql.parquet.datetimeRebaseModeInWrite")
    assert_both_ways(spark, tmp_path / "t", direct=False)
