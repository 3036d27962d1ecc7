"""Whatever columns, values and labels are called, SQL means them and nothing else, in one line that does nothing."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame

from byhistory.plain import inert_json, is_control
from byhistory.spark.read import Source, read
from byhistory.spark.why import inside, outside
from byhistory.why import Condition, Segment

pytestmark = pytest.mark.spark

TEXTS = (
    *("a`b", "``", "it's", 'q"x', "a\\b", "\\", "a\\' OR 1=1 --", "a\nb", "a\r\nb", "t\tb", "\u202ex", "a\u2028b"),
    *("a ::error::x", "##[group]x", "${env:PATH}", "x${spark.app.name}", "${system:user.home}", "${", "$x", "a.b"),
    *("{run}", ":byhistory_run", "IDENTIFIER('a')", "\\u000a", "'\\''", "/* x", "-- x", "select", "価格", "e\u0301"),
    *("\U000e0041", "😀", "a\0b", "x" * 200, "?", "%_", " a ", "r'x'", "\x1b[31m", "\ufeffb", "1", "null"),
)
"""What SQL, a shell, a terminal, a CI system or Spark's own filling in of `${…}` might act upon."""
PLACES = {
    "a value": lambda path: Condition(path, "text", values=("1",)),
    "one of some": lambda path: Condition(path, "text", values=("1", "2")),
    "a pattern": lambda path: Condition(path, "text", "pattern", ("d",)),
    "no value": lambda path: Condition(path, "text", "null", (True,)),
    "a value at all": lambda path: Condition(path, "text", "null", (False,)),
}
NUMBERS = {
    "from": lambda path: Condition(path, "number", low=1.0),
    "below": lambda path: Condition(path, "number", high=1.5),
}


def segment_of(*conditions):
    return Segment(conditions, 0.1, 0.0, 1.0, 1.0)


def assert_harmless(sql):
    assert not any(map(is_control, sql)), ascii(sql)
    assert "${" not in sql
    assert inert_json(sql) == sql


@pytest.fixture(scope="module")
def named(spark):
    """A frame with a text, a struct and a number of every name."""
    fields = ", ".join(f"s{i} string, t{i} struct<x: string>, n{i} double" for i in range(len(TEXTS)))
    rows = [
        [x for _ in TEXTS for x in (text, (text,), number)] for text, number in (("1", 1.0), ("2x", 2.0), (None, None))
    ]
    made = spark.createDataFrame(rows, fields)
    kept = made.toDF(*(name + text for text in TEXTS for name in ("", "t ", "n ")))
    from pyspark.sql import functions as F

    of = [F.struct(F.col(f"`{('t ' + t).replace('`', '``')}`.x").alias(t)).alias("of " + t) for t in TEXTS]
    yield (cached := kept.select("*", *of).cache())
    cached.unpersist(blocking=True)  # other tests look at what is left in the session


@pytest.mark.parametrize("place", [*PLACES, *NUMBERS])
def test_a_column_of_any_name_is_asked_for_itself(named, place):
    is_text = place in PLACES
    paths = [path for text in TEXTS for path in ([(text,), ("of " + text, text)] if is_text else [("n " + text,)])]
    conditions = [(PLACES | NUMBERS)[place](path) for path in paths]
    asked = [segment_of(condition).sql() for condition in conditions]
    for sql in asked:
        assert_harmless(sql)
    (found,) = named.selectExpr(*(f"count_if({sql})" for sql in asked)).collect()
    column = pa.array(["1", "2x", None] if is_text else [1.0, 2.0, math.nan])
    held = [int(condition.holds(column).sum()) for condition in conditions]
    assert {path: n for path, n, right in zip(paths, found, held, strict=True) if n != right} == {}


def test_a_value_of_any_signs_is_asked_for_itself(spark):
    frame = spark.createDataFrame([(text,) for text in (*TEXTS, None)], "v string").coalesce(1).cache()
    segments = [segment_of(Condition(("v",), "text", values=(text,))) for text in TEXTS]
    every = segment_of(Condition(("v",), "text", values=TEXTS))
    for segment in (*segments, every):
        assert_harmless(segment.sql())
    found = [row.v for row in reduce(DataFrame.unionAll, [inside(frame, s) for s in segments]).collect()]
    assert found == list(TEXTS)
    assert (inside(frame, every).count(), outside(frame, every).count()) == (len(TEXTS), 1)
    frame.unpersist(blocking=True)


WHERE = (
    *("ds = '{run}'", "ds = {run}", "concat('x', ds, 'y') = 'x{run}y'"),
    "/* don't */ ds = '{run}' -- {run}",
    "r'\\' <> 'x' and ds in ('{run}', \"{run}\")",
)


@pytest.mark.parametrize("where", WHERE)
def test_a_label_of_any_signs_selects_its_own_rows(spark, tmp_path, where):
    spark.createDataFrame(list(enumerate(TEXTS)), "n int, ds string").coalesce(1).write.parquet(str(tmp_path / "pq"))
    source = Source(path=str(tmp_path / "pq"), where=where)
    found = reduce(DataFrame.unionAll, [read(spark, replace(source, run=text)) for text in TEXTS]).collect()
    assert [row.n for row in found] == list(range(len(TEXTS)))


def test_a_query_that_names_files_changes_no_name_of_the_user(spark, tmp_path):
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "day.parquet")
    source = Source(path=str(tmp_path / "day.parquet"), name="orders", query="select n * 10 as n from orders")
    views = spark.catalog.listTables()
    first = read(spark, source)
    assert spark.catalog.listTables() == views, "a table of the catalog is not hidden for the rest of the session"
    spark.range(7).createOrReplaceTempView("orders")
    second = read(spark, source)
    assert spark.table("orders").count() == 7
    spark.catalog.dropTempView("orders")
    assert [sorted(row.n for row in df.collect()) for df in (first, second)] == [[10, 20]] * 2


def test_tables_that_are_read_side_by_side_are_given_their_own_rows(spark, tmp_path):
    tables = [f"table-{n}.parquet" for n in range(4)]
    for name in tables:
        pq.write_table(pa.table({"ds": ["a"]}), tmp_path / name)

    def files_of(name):
        source = Source(path=str(tmp_path / name), where="ds = '{run}'", run="a")
        return [Path(path).name for _ in range(12) for path in read(spark, source).inputFiles()]

    views = spark.catalog.listTables()
    with ThreadPoolExecutor(len(tables)) as pool:
        assert [set(found) for found in pool.map(files_of, tables)] == [{name} for name in tables]
    assert spark.catalog.listTables() == views, "a session that lives long does not fill up"
