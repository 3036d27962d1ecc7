"""Files read directly give what Spark's reader gives, byte for byte."""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.same import assert_same
from tests.spark.test_battery import TYPES
from tests.strategies import seeded

from byhistory.files.folders import label_of as label_in_path
from byhistory.files.listing import listed_files
from byhistory.files.local import profile_files as profile_here
from byhistory.files.local import profile_run_files as profile_local_runs
from byhistory.profile import TableProfile, to_bytes
from byhistory.rows.field import Options
from byhistory.spark.files import LABEL, profile_files, profile_run_files
from byhistory.spark.profiler import profile, profile_runs
from byhistory.spark.read import Source, label_of, read, read_merged, with_label

pytestmark = pytest.mark.spark

DIRECT = "files are read directly"
KEYED = Options(b"a key", keep_values=True)
CORRECTED = {"datetimeRebaseMode": "CORRECTED", "int96RebaseMode": "CORRECTED"}  # Spark 3 asks


def both_ways(spark, path: Path | str, direct: bool = True, **asked: Any) -> TableProfile:
    """The profile, after looking that both ways give the same and that the expected way was taken, whoever plans it."""
    source = asked.pop("source", Source(path=str(path)))
    told: list[str] = []
    df = read(spark, source)
    mine = profile_files(spark, source, options=KEYED, tell=told.append, **asked)
    by_spark = profile_files(spark, source, options=KEYED, tell=told.append, frame=df, **asked)
    assert [line.startswith(DIRECT) for line in told] == [direct, direct], told
    assert {name: to_bytes(mine[name]) for name in mine} == {name: to_bytes(by_spark[name]) for name in by_spark}
    assert_equal(mine, profile(df, options=KEYED, **asked))
    return mine


def assert_equal(mine: TableProfile, spark: TableProfile, in_order: bool = True) -> None:
    assert mine.rows == spark.rows
    assert list(mine) == list(spark)
    for name in spark:
        assert (mine[name].type, mine[name].nullable) == (spark[name].type, spark[name].nullable), name
        if in_order:
            assert to_bytes(mine[name]) == to_bytes(spark[name]), f"{name}: {mine[name]} is not {spark[name]}"
        else:
            assert_same(mine[name], spark[name])
    if mine.sample is not None and spark.sample is not None:
        assert mine.sample.schema.types == spark.sample.schema.types


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


def written(path: Path, table: pa.Table, name: str = "part-0.parquet", **how: Any) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    known = inspect.signature(pq.write_table).parameters  # old Arrow cannot write decimals as integers
    pq.write_table(table, path / name, **{option: value for option, value in how.items() if option in known})
    return path


@pytest.mark.parametrize(
    "how", [{}, {"use_dictionary": False, "store_decimal_as_integer": True}], ids=["usual", "plain"]
)
def test_all_types_are_read_as_spark_reads_them(spark, tmp_path, how):
    path = written(tmp_path, pa.table(TYPES | MORE), **how)
    mine = both_ways(spark, path, source=Source(path=str(path), options=CORRECTED))
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
    assert list(both_ways(spark, path)) == [*list(ODD)[:5], "below.x", "after", "names.a.b", "names.c.d.e", "names.z"]
    assert_here(spark, path)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"i": pandas.interval_range(0, 5), "after": range(5)})
    (tmp_path / "p").mkdir()
    frame.to_parquet(tmp_path / "p" / "part-0.parquet")
    assert list(both_ways(spark, tmp_path / "p")) == ["i.left", "i.right", "after"]
    assert_here(spark, tmp_path / "p")


def assert_here(spark, path: Path, in_order: bool = True) -> None:
    """Without Spark the profile has the same bytes; its session is to be in the zone that the command starts it in."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        mine, theirs = profile_here(str(path), options=KEYED), profile(read(spark, Source(str(path))), options=KEYED)
        assert_equal(mine, theirs, in_order)
    finally:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_text_that_is_written_as_changes_is_read(spark, tmp_path, encoding):
    if spark.version < "4" and encoding == "DELTA_LENGTH_BYTE_ARRAY":
        pytest.skip("Spark 3 reads other texts than were written")
    words = pa.table({"s": ["abc", "abd", None, "b"] * 1000})
    written(tmp_path, words, use_dictionary=False, column_encoding={"s": encoding})
    both_ways(spark, tmp_path)
    assert_here(spark, tmp_path)


def test_what_only_spark_writes_is_read(spark, tmp_path):
    if spark.version < "4":
        pytest.skip("Spark 3 writes no columns without a type, and knows no collations")
    many = "select if(id % 3 = 0, null, cast(id % 700 as string)) s, 'k' || (id % 900) t, null v from range(60000)"
    small = {"parquet.writer.version": "v2", "parquet.dictionary.page.size": "2000", "parquet.block.size": "100000"}
    spark.sql(many).coalesce(1).write.options(**small).parquet(str(tmp_path / "v2"))
    assert both_ways(spark, tmp_path / "v2")["v"].type == "void"
    assert_here(spark, tmp_path / "v2", in_order=False)
    compared = "'a' collate UTF8_LCASE c, array('b' collate UNICODE_CI) l, struct('b' collate UNICODE_CI as x) s"
    spark.sql(f"select {compared}").write.parquet(str(tmp_path / "c"))
    assert both_ways(spark, tmp_path / "c")["c"].type == "string collate UTF8_LCASE"
    assert_here(spark, tmp_path / "c")


def test_times_of_every_encoding(spark, tmp_path):
    times = pa.table({"at": TYPES["at"].cast(pa.timestamp("us")), "n": [1, 2, 3, 4, 5]})
    new = times.slice(2)
    int96 = written(tmp_path / "int96", new, use_deprecated_int96_timestamps=True)
    assert both_ways(spark, int96)["at"].type == "timestamp"
    nanos = written(tmp_path / "nanos", new.set_column(0, "at", new["at"].cast(pa.timestamp("ns"), safe=False)))
    spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")
    try:
        assert both_ways(spark, nanos)["at"].type == "bigint"
    finally:
        spark.conf.unset("spark.sql.legacy.parquet.nanosAsLong")


def test_the_old_calendar_is_left_to_spark(spark, tmp_path):
    old = pa.table({"day": TYPES["day"], "at": TYPES["at"]})
    plain = written(tmp_path / "plain", old)
    both_ways(spark, plain, source=Source(path=str(plain), options=CORRECTED))
    legacy = {b"org.apache.spark.version": b"3.5.0", b"org.apache.spark.legacyDateTime": b""}
    new = written(tmp_path / "legacy", old.slice(2, 2).replace_schema_metadata(legacy))
    both_ways(spark, new)
    mine = both_ways(spark, written(new, old.replace_schema_metadata(legacy)), direct=False)
    assert "old calendar" in mine.notices[0]


def test_files_of_different_columns(spark, tmp_path):
    first = pa.table({"a": [1, 2], "B": ["x", None], "s": [{"x": 1, "y": "a"}, None], "t": [1.5, None]})
    written(tmp_path, first, "a.parquet")
    written(tmp_path, pa.table({"b": ["y"], "A": [3], "more": [True], "s": [{"y": "b"}]}), "b.parquet")
    written(tmp_path, first.slice(0, 0), "c.parquet")
    told: list[str] = []
    for options in ({}, {"mergeSchema": "true"}):
        source = Source(path=str(tmp_path), options=options)
        mine = profile_files(spark, source, tell=told.append)
        assert_equal(mine, profile(read(spark, source)), in_order=False)
    assert all(line.startswith(DIRECT) for line in told), told
    assert (mine.rows, mine["a"].nulls, mine["s.x"].nulls) == (3, 0, 2)
    if spark.version < "4":
        return
    pq.write_table(pa.table({"a": pa.array([3.0])}), tmp_path / "d.parquet")
    told.clear()
    with pytest.raises(Exception, match=r"d\.parquet"):  # Spark cannot read it, either
        profile_files(spark, str(tmp_path), tell=told.append)
    assert "'a' is double and not bigint in" in told[0]


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


NULL = "__HIVE_DEFAULT_PARTITION__"
PARTS = ["2026-01-01", "a%2Fb", "a b", "x=y", NULL]


@pytest.mark.parametrize(
    "values",
    [PARTS, ["1", "02", "-3", "1", "0"], ["2026-01-01", "2026-01-02"], ["1.50", "2e3"], ["9999999999", "1"]],
    ids=["text", "int", "date", "double", "bigint"],
)
def test_values_in_the_path_are_what_spark_takes_them_for(spark, tmp_path, values):
    for n, value in enumerate(values):
        written(tmp_path / f"day={value}" / "hour=07", pa.table({"n": [n, n + 1], "hour": [1, 2]}), f"{n}.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "_tmp").mkdir()
    (tmp_path / "_tmp" / "x.parquet").write_bytes(b"no Parquet")
    (tmp_path / f"day={values[0]}" / ".hidden.parquet").write_bytes(b"no Parquet")
    assert_both_ways_by_run(spark, tmp_path, ["day"])
    assert_both_ways_by_run(spark, tmp_path, ["day", "hour"], where="day is not null")
    mine = profile_files(spark, str(tmp_path))
    assert_equal(mine, profile(read(spark, Source(path=str(tmp_path)))), in_order=False)


IN_PATHS = [
    ["1", "02", "+3", "-0"],
    ["1", "1.5"],
    ["9999999999", "1.5"],
    ["1", "9999999999"],
    ["1e5", "7"],
    ["5."],
    ["1e5", "1e-5"],
    ["1e37", "00099999999999999999999"],
    ["1e39", "-Infinity", "NaN", "1.25e-5"],
    ["7d", "30d", "1.5f", " 2"],
    ["7d", "x"],
    ["1" * 39],
    ["2026-05-01", "2026-5-2"],
    ["2026-05-01", "2026-02-30"],
    ["2026-05", "2026"],
    ["2026-05-01 10:00:00", "2026-05-02", "2026-05-01%2010%3A00%3A00.5", NULL],
    ["2026-05-01 10:00:00.000"],
    ["2026-05-01 24:00:00"],
    ["2026-05-01T10:00:00", "2026-05-01 10:00"],
    ["true", "null", "%41", "%C3%A4", "1,000", "1_000"],
    ["२.५"],
    [NULL],
    [NULL, "2026-05-01"],
]


def test_values_in_the_path_are_the_same_without_spark(spark, tmp_path):
    for n, values in enumerate(IN_PATHS):
        path = tmp_path / str(n)
        for i, value in enumerate(values):
            written(path / f"k={value}", pa.table({"n": [i]}))
        df = spark.read.parquet(str(path))
        listing = listed_files(str(path), {})
        assert listing.columns == (("k", df.schema["k"].dataType.simpleString()),), values
        texts, twice = (label_of(df, names).alias(str(len(names))) for names in (("k",), ("k", "k")))
        there = {row[0]: row[1:] for row in df.select("n", texts, twice).collect()}
        mine = [(p, label_in_path(p.values), label_in_path(p.values * 2)) for p in listing.files]
        assert {pq.ParquetFile(p.path).read()["n"][0].as_py(): (one, two) for p, one, two in mine} == there, values


def test_days_that_python_does_not_have_and_names_that_files_have_themselves(spark, tmp_path):
    for day in ("0000-01-01", "2026-01-01"):
        written(tmp_path / "far" / f"day={day}", pa.table({"n": [1, 2]}))
    assert list(assert_both_ways_by_run(spark, tmp_path / "far", ["day"])) == ["0000-01-01", "2026-01-01"]
    mine = profile_files(spark, str(tmp_path / "far"))
    assert_equal(mine, profile(read(spark, Source(path=str(tmp_path / "far")))), in_order=False)
    for name in ("length", "Path"):
        path = written(tmp_path / name / f"{name}=1", pa.table({"n": [1, 2]})).parent
        df, told = read(spark, Source(path=str(path))), list[str]()
        planned_here = profile_files(spark, str(path), tell=told.append)
        planned_by_spark = profile_files(spark, str(path), frame=df, tell=told.append)
        assert [line.startswith(DIRECT) for line in told] == [True, False], told
        assert_equal(planned_here, profile(df))
        assert_equal(planned_by_spark, profile(df))


def assert_both_ways_by_run(spark, path: Path, by: list[str], direct: bool = True, **asked: Any) -> dict[str, Any]:
    source = Source(path=str(path), **asked)
    told: list[str] = []
    df = read(spark, source)
    mine = profile_run_files(spark, source, by, options=KEYED, tell=told.append)
    by_spark = profile_run_files(spark, source, by, options=KEYED, tell=told.append, frame=df)
    assert [line.startswith(DIRECT) for line in told] == [direct, direct], told
    other = profile_runs(with_label(df, by, LABEL), LABEL, options=KEYED)
    assert list(mine) == list(by_spark) == list(other)
    for run, frame in other.items():
        assert_equal(mine[run], frame)
        assert_equal(by_spark[run], frame)
    return mine


def test_only_the_files_of_a_run_are_read(spark, tmp_path):
    for day in ("01", "02", "03"):
        written(tmp_path / f"day={day}", pa.table({"n": [1, 2]}))
    (tmp_path / "day=02" / "part-0.parquet").write_bytes(b"no Parquet")
    told: list[str] = []
    one = profile_files(spark, str(tmp_path), only=(["day"], "3"), tell=told.append)
    some = profile_files(spark, Source(path=str(tmp_path), where="day <> 2"), tell=told.append)
    assert (one.rows, list(one), some.rows, list(some)) == (2, ["n"], 4, ["n", "day"])
    assert all(line.startswith(DIRECT) for line in told), told
    profile_files(spark, Source(path=str(tmp_path), where="day <> 2 and n > 1"), tell=told.append)
    assert told[-1] == "rows come through Spark's reader: the condition is about rows, not about values in the path"
    with pytest.raises(Exception, match=r"part-0.parquet"):  # Spark's own, which differs by Spark
        profile_files(spark, str(tmp_path))


def test_a_table_without_rows_and_a_choice_without_columns(spark, tmp_path):
    both_ways(spark, written(tmp_path / "empty", pa.table(TYPES).slice(0, 0)))
    assert both_ways(spark, written(tmp_path / "some", pa.table({"n": [1, 2]})), exclude=["n"]).rows == 2


# ------------------------------------------------------------------------------------------------------------ the law

_MAKERS: dict[str, Callable[[Any, int], pa.Array]] = {
    "int8": lambda r, n: pa.array(r.integers(-9, 9, n).astype("int8")),
    "uint32": lambda r, n: pa.array(r.integers(0, 2**32, n).astype("uint32")),
    "int64": lambda r, n: pa.array(r.integers(-(2**62), 2**62, n)),
    "float": lambda r, n: pa.array(r.normal(size=n).astype("float32")),
    "double": lambda r, n: pa.array(r.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), 1e300], n)),
    "bool": lambda r, n: pa.array(r.random(n) < 0.5),
    "decimal": lambda r, n: pa.array([Decimal(int(v)).scaleb(-3) for v in r.integers(-(10**6), 10**6, n)]).cast(
        pa.decimal128(int(r.integers(10, 30)), 3)
    ),
    "date": lambda r, n: pa.array(r.integers(-30_000, 60_000, n).astype("int32")).cast(pa.date32()),
    "at": lambda r, n: pa.array(r.integers(-(10**15), 10**16, n)).cast(pa.timestamp("us", "UTC")),
    "wall": lambda r, n: pa.array(r.integers(-(10**12), 10**13, n)).cast(pa.timestamp("ms")),
    "few": lambda r, n: pa.array([f"v{v}" for v in r.integers(0, 4, n)]),
    "many": lambda r, n: pa.array([f"Ä-{v}" for v in r.integers(0, 10**9, n)]),
    "bytes": lambda r, n: pa.array([r.bytes(int(k)) for k in r.integers(0, 5, n)]),
    "list": lambda r, n: pa.array([[1] * int(k) for k in r.integers(0, 4, n)], pa.list_(pa.int16())),
    "map": lambda r, n: pa.array([[("k", 1)][: int(k)] for k in r.integers(0, 2, n)], pa.map_(pa.string(), pa.int32())),
}


def any_array(random: Any, rows: int, depth: int = 0) -> pa.Array:
    if depth < 2 and random.random() < 0.2:
        fields = [any_array(random, rows, depth + 1) for _ in range(random.integers(1, 4))]
        array = pa.StructArray.from_arrays(fields, [f"f{i}" for i in range(len(fields))])
    else:
        array = _MAKERS[random.choice(list(_MAKERS))](random, rows)
    present = pa.array([i if v else None for i, v in enumerate((random.random(rows) < 0.8).tolist())], pa.int64())
    return array.take(present) if random.random() < 0.7 else array


@pytest.mark.parametrize("seed", range(3))
def test_any_table_in_any_file_is_the_same_both_ways(spark, tmp_path, seed):
    random = seeded(seed)
    rows = int(random.integers(1, 300))
    table = pa.table({f"C{i}": any_array(random, rows) for i in range(25)})
    written(
        tmp_path,
        table,
        use_dictionary=bool(random.random() < 0.5),
        data_page_version=str(random.choice(["1.0", "2.0"])),
        compression=str(random.choice(["snappy", "zstd", "none"])),
        row_group_size=int(random.integers(1, 300)),
        store_decimal_as_integer=bool(random.random() < 0.5),
        store_schema=bool(random.random() < 0.5),
    )
    both_ways(spark, tmp_path)


SAME_TYPE = [name for name in _MAKERS if name not in ("decimal", "wall")]
"""Without decimals, which have another precision each time, and times without a zone, which have one as INT96."""


def any_folders(random: Any, path: Path) -> None:
    """Some runs in folders, whose files have some of the columns, in any case, order, encoding and number of rows."""
    makers = {f"Col{i}": str(random.choice(SAME_TYPE)) for i in range(8)}
    for n, value in enumerate(random.permutation(["2026-01-01", "a%2Fb", "%C3%A4 1", "x=y", "None", NULL])):
        for part in range(int(random.integers(1, 3))):
            names = [str(name) for name in random.permutation(list(makers))[: random.integers(2, 9)]]
            rows = int(random.choice([0, 1, 7, 60]))
            columns = {name: _MAKERS[makers[name]](random, rows + 1).slice(1) for name in names}
            written(
                path / f"day={value}" / f"hour={n:02d}",
                pa.table({(name if random.random() < 0.7 else name.lower()): c for name, c in columns.items()}),
                f"{part}.parquet",
                use_dictionary=bool(random.random() < 0.5),
                row_group_size=int(random.choice([1, 5, 100])),
                use_deprecated_int96_timestamps=bool(random.random() < 0.3),
                compression=str(random.choice(["snappy", "zstd", "gzip", "none"])),
            )
        (path / f"day={value}" / f"hour={n:02d}" / "empty.parquet").touch()
        (path / f"day={value}" / "_hidden.parquet").write_bytes(b"no Parquet")


@pytest.mark.parametrize("seed", range(3))
def test_any_folders_of_files_are_the_same_both_ways_and_here(spark, tmp_path, seed):
    any_folders(seeded(seed), tmp_path)
    spark.conf.set("spark.sql.session.timeZone", "UTC")  # as in the session that the command starts
    try:
        source, told = Source(path=str(tmp_path), options=CORRECTED), list[str]()
        mine = profile_run_files(spark, source, ["day"], options=KEYED, tell=told.append)
        assert told[0].startswith(DIRECT), told
        whole, notices = read_merged(spark, source)
        assert not notices
        other = profile_runs(with_label(whole, ["day"], LABEL), LABEL, options=KEYED)
    finally:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    assert list(mine) == list(other)
    for run, frame in other.items():
        for name in frame:
            if name in mine[run]:
                assert_same(mine[run][name], frame[name])
            else:  # a run has the columns of its own files
                assert frame[name].nulls == frame[name].rows == mine[run].rows
    here = profile_local_runs(str(tmp_path), ["day"], options=KEYED)
    assert list(here) == list(mine)
    for run, local in here.items():
        assert {n: to_bytes(local[n]) for n in local} == {n: to_bytes(mine[run][n]) for n in mine[run]}, run


def test_dates_of_spark_2_are_dates(spark, tmp_path):
    """Spark writes in the old calendar if it is told to; what it wrote is read as it reads it."""
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY")
    try:
        rows = [(dt.date(1500, 3, 1), "a"), (dt.date(2026, 1, 1), None)]
        spark.createDataFrame(rows, "day date, s string").coalesce(1).write.parquet(str(tmp_path / "t"))
    finally:
        spark.conf.unset("spark.sql.parquet.datetimeRebaseModeInWrite")
    both_ways(spark, tmp_path / "t", direct=False)
