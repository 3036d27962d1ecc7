"""Spark equals local, on whatever Spark there is: local mode, a Connect server, a cluster."""

from __future__ import annotations

import datetime as dt
import math
import os
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import functions as F
from tests.same import assert_same
from tests.spark.conftest import COLUMNS, WORKER_PYTHON
from tests.spark.learning import learning_tasks
from tests.strategies import seeded

from byhistory.errors import BadInput, ByHistoryError
from byhistory.learners import from_json
from byhistory.profile import Kind, TableProfile
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.spark.failure import explained
from byhistory.spark.files import profile_files, profile_run_files
from byhistory.spark.profiler import profile, profile_runs
from byhistory.spark.read import Source, read, with_label
from byhistory.spark.spread import spread
from byhistory.validator.learning import Spread, learned_there

pytestmark = pytest.mark.spark

KEYED = Options(key=b"a key")


def assert_same_tables(one: TableProfile, other: TableProfile) -> None:
    assert one.rows == other.rows
    assert list(one) == list(other)
    for column in one:
        assert_same(one[column], other[column])


UTC = dt.timezone.utc
TYPES: dict[str, pa.Array] = {
    "tiny": pa.array([-128, 127, None, 0, 0], pa.int8()),
    "short": pa.array([-(2**15), 2**15 - 1, None, 1, 1], pa.int16()),
    "int": pa.array([-(2**31), 2**31 - 1, None, 1, 2], pa.int32()),
    "long": pa.array([-(2**63), 2**63 - 1, None, 2**63 - 2, 5], pa.int64()),
    "float": pa.array([0.1, -0.0, None, math.nan, math.inf], pa.float32()),
    "double": pa.array([1e308, 5e-324, -math.inf, math.nan, -0.0]),
    "money": pa.array(
        [Decimal("1.10"), Decimal("-2.25"), None, Decimal("0.00"), Decimal("99999.99")], pa.decimal128(7, 2)
    ),
    "wide": pa.array(
        [Decimal("9" * 38), Decimal("-" + "9" * 38), None, Decimal(7), Decimal("9" * 37)], pa.decimal128(38, 0)
    ),
    "fine": pa.array([Decimal("0." + "1" * 38), None, None, Decimal("0.5"), Decimal("0.5")], pa.decimal128(38, 38)),
    "flag": pa.array([True, False, None, True, True]),
    "text": pa.array(["a-1", "", None, "Ärger 😀", "tab\tnull\0bell\a"]),
    "bytes": pa.array([b"", b"\x00\xff", None, b"\xff", b"\x00\xff"]),
    "day": pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), None, dt.date(1970, 1, 1), dt.date(1582, 10, 15)]),
    "at": pa.array(
        [
            dt.datetime(1, 1, 1, tzinfo=UTC),
            dt.datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
            None,
            dt.datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
            dt.datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
        ],
        pa.timestamp("us", "UTC"),
    ),
    "wall": pa.array([dt.datetime(2026, 1, 1), None, None, dt.datetime(1900, 1, 1), dt.datetime(2026, 1, 1)]),  # noqa: DTZ001
    "struct": pa.array([{"x": 1, "y": {"z": "a"}}, None, {"x": None, "y": None}, {"x": 2, "y": {"z": None}}, None]),
    "list": pa.array([[1, 2], [], None, [None], [1]]),
    "map": pa.array([[("a", 1)], [], None, [("a", 1), ("b", 2)], []], pa.map_(pa.string(), pa.int64())),
    "nulls": pa.array([None] * 5, pa.string()),
    "one": pa.array([3.5] * 5),
}


def test_all_types_give_the_local_profile(frame):
    table = pa.table(TYPES)
    mine = profile(frame(table, cuts=(1, 1, 4)), options=KEYED)
    assert_same_tables(mine, profile_table(table, options=KEYED))
    assert mine.notices == ()
    assert mine["day"].numbers.low == -62_135_596_800.0
    assert mine["wide"].numbers.exact_sum == 10**37 + 6
    assert mine["long"].distinct == 4


def test_plain_values_are_kept_on_request_and_are_the_same(frame):
    table = pa.table({k: TYPES[k] for k in ("long", "double", "money", "wide", "flag", "text", "day")})
    options = Options(key=b"k", keep_values=True)
    assert_same_tables(profile(frame(table), options=options), profile_table(table, options=options))


@pytest.fixture
def runs_in_folders(tmp_path):
    """Three files of each day, and of none."""
    table = pa.table({name: TYPES[name] for name in ("long", "money", "text", "day", "at", "struct", "list")})
    for n, day in enumerate(["2026-01-01", "2026-01-02", "__HIVE_DEFAULT_PARTITION__"]):
        (tmp_path / f"ds={day}" / "hour=07").mkdir(parents=True)
        for part in range(3):
            path = tmp_path / f"ds={day}" / "hour=07" / f"{part}.parquet"
            pq.write_table(table.slice(n, 3), path, row_group_size=2, use_dictionary=part > 0)
    return table


def test_runs_in_folders_are_the_same_however_files_are_read(spark, tmp_path, runs_in_folders):
    source = Source(path=str(tmp_path), options={"datetimeRebaseMode": "CORRECTED"})
    runs = profile_run_files(spark, source, ["ds"], options=KEYED)
    other = profile_runs(with_label(read(spark, source), ["ds"], "run"), "run", options=KEYED)
    assert list(runs) == list(other) == ["2026-01-01", "2026-01-02"]
    for run, frame in other.items():
        assert_same_tables(runs[run], frame)
        assert runs[run].notices == ("9 rows have no 'ds' and belong to no run",)


def test_files_are_read_where_they_are_profiled(spark, tmp_path, runs_in_folders):
    """By workers that may be other machines, and may not have byhistory."""
    source, told = Source(path=str(tmp_path), options={"datetimeRebaseMode": "CORRECTED"}), []
    profile_run_files(spark, source, ["ds"], options=KEYED, tell=told.append)
    one = profile_files(spark, source, only=(["ds", "hour"], "2026-01-02-07"), options=KEYED, tell=told.append)
    assert [line.partition(":")[0] for line in told] == ["files are read directly"] * 2
    assert_same_tables(one, profile_table(pa.concat_tables([runs_in_folders.slice(1, 3)] * 3), options=KEYED))
    (tmp_path / "ds=2026-01-02" / "hour=07" / "1.parquet").write_bytes(b"PAR1 no Parquet PAR1")
    with pytest.raises(ByHistoryError, match=r"1\.parquet"), explained("read them"):  # Spark 3.5 itself names no file
        profile_files(spark, source, only=(["ds", "hour"], "2026-01-02-07"), tell=told.append)


NAMES = ["a b", "a.b", "`", "`x`.y", '"q"', "it's", "ä漢", "Case", "case", "CASE", "new\nline", "$", "c0", "run"]


def test_any_name_is_a_name(spark, frame):
    table = pa.table([pa.array([i, i]) for i in range(len(NAMES))], names=[f"n{i}" for i in range(len(NAMES))])
    mine = profile(frame(table).toDF(*NAMES))
    assert list(mine) == NAMES
    assert [mine[name].numbers.low for name in NAMES] == list(range(len(NAMES)))
    assert mine.sample.column_names == NAMES


def test_names_below_a_struct_may_have_dots_and_differ_in_case_only(frame):
    inner = pa.array([{"a.b": 1, "A": 2, "a": 3, "`": 4}, None])
    df = frame(pa.table({"n": [1, 2]})).select(F.lit(None).cast("struct<p:int>").alias("s.t"))
    assert list(profile(df)) == ["s.t.p"]
    mine = profile_case_sensitive(frame, inner)
    assert {name: mine[name].numbers.sum for name in mine} == {"s.a.b": 1, "s.A": 2, "s.a": 3, "s.`": 4}


def profile_case_sensitive(frame, inner):
    """Spark cannot read names that differ in case only from a file, but it can make them."""
    numbered = pa.table(
        {"s": pa.array([{f"f{i}": v for i, v in enumerate(x.values())} if x else None for x in inner.to_pylist()])}
    )
    names = [f.name for f in inner.type]
    quoted = ",".join(f"`{n.replace('`', '``')}`: bigint" for n in names)
    return profile(frame(numbered).select(F.col("s").cast(f"struct<{quoted}>").alias("s")))


def test_duplicate_names_are_a_clear_error(frame):
    df = frame(pa.table({"a": [1]}))
    with pytest.raises(BadInput, match=r"'price'.*2 columns"):
        profile(df.select(F.col("a").alias("price"), F.col("a").alias("price")))


def test_a_dotted_name_beside_a_struct_of_that_path_is_a_clear_error(frame):
    df = frame(pa.table({"a": [1]}))
    with pytest.raises(BadInput, match=r"'s\.a'"):
        profile(df.select(F.struct("a").alias("s"), F.col("a").alias("s.a")))


def test_the_user_chooses_columns_and_kinds(frame):
    table = pa.table({k: TYPES[k] for k in ("int", "text", "day", "bytes", "struct", "flag")})
    asked = {
        "kinds": {"int": Kind.CATEGORICAL, "day": Kind.CATEGORICAL, "bytes": Kind.CATEGORICAL, "flag": Kind.NUMERIC},
        "exclude": ["text", "struct.y.z"],
    }
    mine = profile(frame(table), **asked)
    assert list(mine) == ["int", "day", "bytes", "struct.x", "flag"]
    assert_same_tables(mine, profile_table(table, **asked))
    assert list(profile(frame(table), include=["struct.x"])) == ["struct.x"]


@pytest.mark.parametrize("asked", [{"kinds": {"a": Kind.NESTED}}, {"include": ["b"]}, {"exclude": ["b"]}])
def test_what_makes_no_sense_is_a_clear_error(frame, asked):
    with pytest.raises(BadInput, match=r"'a'|'b'"):
        profile(frame(pa.table({"a": [1]})), **asked)


def test_what_has_no_kind_has_its_nulls_and_sizes_measured_with_a_notice(frame):
    odd = {"i": F.expr("interval '1' day")}
    if not pyspark.__version__.startswith("3."):  # PySpark 3 cannot say what these are, whatever is done with them
        odd |= {"c": F.expr("make_interval(1)"), "empty": F.struct(), "v": F.expr("parse_json('[1, 2]')")}
    df = frame(pa.table({"a": [1, 2]})).select(
        "a", F.lit(None).alias("void"), *(column.alias(name) for name, column in odd.items())
    )
    mine = profile(df)
    assert list(mine) == ["a", "void", *odd]
    assert all(mine[name].kind is Kind.NESTED and mine[name].nulls == 0 for name in odd)
    if "v" in odd:
        assert mine["v"].lengths.values.tolist() == [5.0], "characters of [1,2]"
    assert [notice.split()[1] for notice in mine.notices] == [f"'{name}':" for name in odd]
    assert (mine["void"].rows, mine["void"].nulls) == (2, 2)
    as_text = profile(df, kinds={"i": Kind.CATEGORICAL}, include=["i"])
    assert as_text["i"].distinct == 1


def test_tables_without_rows_or_columns(spark):
    empty = profile(spark.createDataFrame([], "a int, s string"))
    assert (empty.rows, empty["a"].rows, empty["s"].distinct) == (0, 0, 0)
    assert math.isnan(empty["a"].numbers.std)
    bare = profile(spark.range(7).select())
    assert (bare.rows, list(bare)) == (7, [])
    assert profile(spark.range(0).select()).rows == 0
    assert profile(spark.range(7), exclude=["id"]).rows == 7


def test_empty_tiny_and_skewed_partitions(spark):
    random = seeded(4)
    rows = 40_000
    table = pa.table({"n": random.normal(size=rows), "s": [f"k{i}" for i in random.integers(0, 3000, rows).tolist()]})
    df = spark.createDataFrame(table.to_pandas())
    one = profile_table(table)
    whole = df.repartition(1).sortWithinPartitions("s")
    skewed = df.repartition(16, F.when(F.col("n") < 3, 0).otherwise(F.hash("s")))  # 14 of 16 are empty or tiny
    for split in (whole, df.repartition(5), skewed):
        mine = profile(split)
        assert mine.rows == rows
        assert_same(mine["s"], one["s"])
        assert mine["n"].numbers.mean == pytest.approx(one["n"].numbers.mean, rel=1e-9)
        assert mine["n"].distinct == one["n"].distinct
        shares = np.linspace(0, 1, 101)
        ranks = np.searchsorted(np.sort(table["n"].to_numpy()), mine["n"].quantiles.at(shares)) / rows
        assert np.abs(ranks - shares).max() <= mine["n"].quantiles.error < 0.01


def test_broken_text_as_spark_delivers_it(frame):
    raw = [b"ok", b"\xff", b"x\xed\xa0\x80", "€".encode()[:1], "€".encode()[1:], b"\x01\x02", None]
    mine = profile(frame(pa.table({"b": pa.array(raw)})).select(F.col("b").cast("string").alias("b")))
    local = profile_table({"b": pa.array(raw)}, kinds={"b": Kind.CATEGORICAL})
    assert_same(mine["b"], local["b"])


def test_strings_of_10_megabytes(frame):
    table = pa.table({"s": ["x" * 10_000_000, "é" * 5_000_000, "y"]})
    assert_same_tables(profile(frame(table)), profile_table(table))


def test_the_sample_is_of_whole_rows(spark):
    mine = profile(spark.range(0, 20_000, 1, 4).select("id", (F.col("id") * 2).alias("twice")), sample_rows=500, seed=3)
    assert mine.sample.num_rows == 500
    ids = mine.sample.column("id").to_numpy()
    assert np.array_equal(mine.sample.column("twice").to_numpy(), 2 * ids)
    assert len(np.unique(ids)) == 500
    assert abs(ids.mean() - 10_000) < 1500


# --- by run -----------------------------------------------------------------------------------------------------------


def runs_table() -> pa.Table:
    random = seeded(9)
    rows = 3000
    labels = random.choice(["2026-01-01", "2026-01-02", "2026-01-03", "", None], rows, p=[0.5, 0.3, 0.1, 0.05, 0.05])
    return pa.table(
        {
            "n": pa.array(random.integers(0, 500, rows)),
            "ds": pa.array(labels.tolist(), pa.string()),
            "s": pa.array([f"v{i}" for i in random.integers(0, 99, rows).tolist()], mask=random.random(rows) < 0.1),
        }
    )


@pytest.mark.parametrize("cuts", [(), (5, 5, 1700)], ids=["one part", "parts"])
def test_runs_at_once_are_the_runs_one_by_one(frame, cuts):
    table = runs_table()
    df = frame(table, cuts)
    at_once = profile_runs(df, "ds")
    labels = table.column("ds").to_pylist()
    assert list(at_once) == sorted({x for x in labels if x is not None})
    for run, mine in at_once.items():
        rows = table.filter(pa.array([x == run for x in labels])).drop_columns(["ds"])
        assert_same_tables(mine, profile_table(rows))
        assert_same_tables(mine, profile(df.where(F.col("ds") == run).drop("ds")))
        assert mine.run == run
        assert mine.notices == (f"{labels.count(None):,} rows have no 'ds' and belong to no run",)


def test_only_the_last_run_has_a_sample_and_it_is_of_that_run(frame):
    table = runs_table()
    at_once = profile_runs(frame(table, (1500,)), "ds", sample_rows=50)
    assert [run for run, mine in at_once.items() if mine.sample is not None] == ["2026-01-03"]
    last = table.filter(pa.array([x == "2026-01-03" for x in table.column("ds").to_pylist()]))
    pairs = set(zip(last.column("n").to_pylist(), last.column("s").to_pylist(), strict=True))
    sample = at_once["2026-01-03"].sample
    assert sample.num_rows == 50
    assert set(zip(sample.column("n").to_pylist(), sample.column("s").to_pylist(), strict=True)) <= pairs


def test_runs_may_be_labelled_by_dates_and_numbers(spark):
    df = spark.range(6).select("id", F.expr("date_add(date'2026-01-01', cast(id % 2 as int))").alias("day"))
    by_day = profile_runs(df, "day")
    assert list(by_day) == ["2026-01-01", "2026-01-02"]
    assert [mine.rows for mine in by_day.values()] == [3, 3]
    assert list(profile_runs(df, "id", include=["day"])) == ["0", "1", "2", "3", "4", "5"]


def test_a_run_column_that_is_not_there_is_a_clear_error(spark):
    with pytest.raises(BadInput, match="'nope'"):
        profile_runs(spark.range(1), "nope")


def test_runs_of_a_table_of_labels_only_and_of_no_rows(spark):
    df = spark.range(5).select((F.col("id") % 2).cast("string").alias("ds"))
    assert {run: mine.rows for run, mine in profile_runs(df, "ds").items()} == {"0": 3, "1": 2}
    assert profile_runs(df.limit(0), "ds") == {}


def test_columns_are_learned_by_the_workers_as_they_are_here(spark):
    count = int(os.environ.get(COLUMNS, "120"))
    tasks = learning_tasks(count)
    learned = spread(spark, f"{learned_there.__module__}:learned_there", [task.to_bytes() for task in tasks])
    assert learned[:120] == [learned_there(task.to_bytes()) for task in tasks[:120]]
    assert None not in learned, "no worker lacks what was sent"
    programs = Spread(spark)(tasks) if count == 120 else [from_json(text.decode()) for text in learned]
    assert [program.column for program in programs] == [f"c{i}" for i in range(count)]


def test_the_workers_run_the_python_they_are_meant_to(spark):
    def look(batches):
        import importlib.util
        import sys

        for batch in batches:
            found = importlib.util.find_spec("byhistory") is not None and "byhistory" not in sys.modules
            yield pa.RecordBatch.from_arrays([pa.array([sys.executable]), pa.array([found])], names=["python", "ours"])
            del batch

    seen = spark.range(0, 8, 1, 4).mapInArrow(look, "python string, ours boolean").collect()
    wanted = os.environ.get(WORKER_PYTHON)
    if wanted:
        assert {row["python"] for row in seen} == {wanted}
        assert not any(row["ours"] for row in seen)


def test_why_a_run_was_stopped_is_answered_alike(frame):
    from byhistory.config import Config
    from byhistory.validator import Validator

    def day(number: int) -> pa.Table:
        random = seeded(number)
        rows = 1500 + 10 * number
        shops = random.choice(["web", "app", "store"], rows, p=[0.5, 0.3, 0.2])
        amounts = pa.array(random.lognormal(3, 1, rows).round(2), mask=(shops == "app") & (number == 8))
        return pa.table({"id": number * 10**6 + np.arange(rows), "shop": shops, "amount": amounts})

    guard = Validator("memory:", config=Config())
    guard.remember([profile_table(day(number), run=f"{number:02}") for number in range(8)], "orders")
    bad, before = day(8), day(7)
    verdict = guard.judge(profile_table(bad, run="08"), "orders")
    here = guard.why(bad, verdict, before=before)
    both = frame(
        pa.concat_tables([t.append_column("run", pa.array([n] * len(t))) for n, t in enumerate([before, bad])])
    )
    before, now = (both.where(f"run = {n}").drop("run") for n in (0, 1))
    there = guard.why(now, verdict, before=before)
    assert str(there.segment) == str(here.segment) == "shop = 'app'"
    assert there.proof == here.proof
    assert there.proof.is_gone
    gone = bad.filter(pa.array(np.asarray(bad["shop"]) != "app"))
    verdict = guard.judge(profile_table(gone, run="08"), "orders")
    there = guard.why(now.where("shop != 'app'"), verdict, before=before)
    assert (there.kind, str(there.segment)) == ("rows missing in a segment", "shop = 'app'")
    assert there.proof.way == "with the rows before"
