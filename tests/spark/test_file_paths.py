"""Values in the paths of files are what Spark takes them for, and choose which files are read."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.direct import DIRECT, assert_both_ways_by_run, assert_equal, written

from byhistory.files.folders import label_of as label_in_path
from byhistory.files.listing import listed_files
from byhistory.spark.files import profile_files
from byhistory.spark.profiler import profile
from byhistory.spark.read import Source, label_of, read

pytestmark = pytest.mark.spark

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


@pytest.mark.parametrize("day", ["2026-01-01", "2026-01-02", "2026-01-03"])
@pytest.mark.parametrize("way", ["here", "frame", "spark's reader"])
def test_a_run_has_the_columns_of_its_own_files_whatever_others_have(spark, tmp_path, day, way):
    """A column that came on the second day, and one that was gone on the third."""
    columns = {"2026-01-01": ["n", "old"], "2026-01-02": ["n", "old", "new"], "2026-01-03": ["n", "new"]}
    for name, has in columns.items():
        (tmp_path / f"ds={name}").mkdir()
        pq.write_table(pa.table({column: [1, 2, 3] for column in has}), tmp_path / f"ds={name}" / "p.parquet")
    frame = read(spark, Source(path=str(tmp_path))) if way == "frame" else None
    told: list[str] = []
    setting, usual = "spark.sql.parquet.binaryAsString", "false"
    spark.conf.set(setting, usual if way != "spark's reader" else "true")
    try:
        one = profile_files(spark, str(tmp_path), only=(["ds"], day), frame=frame, tell=told.append)
    finally:
        spark.conf.set(setting, usual)
    assert (list(one.columns), one.rows) == (columns[day], 3)
    assert all(one[name].present == 3 for name in one)
    assert told[-1].startswith(DIRECT) == (way != "spark's reader")
