"""The printed condition of a segment selects exactly its rows on Spark, whatever columns are called and values are."""

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest

from byhistory.spark.why import inside, sample_runs
from byhistory.why import Segment
from byhistory.why.features import features
from byhistory.why.parts import plain

pytestmark = pytest.mark.spark
ROWS = 240
NAMES = ["a`b", "with.dot", "${env:HOME}", "line\nend", "it's", '"quoted"', "select", "\u202eodd", "naïve 名前", "-- x"]
TEXTS = [
    "it's",
    "\\",
    "\\'",
    "' OR 1=1 --",
    "${spark.app.name}",
    "a\nb",
    "\t",
    "",
    " ",
    "%",
    "_",
    "naïve",
    "名前",
    "\U0001f600",
]
NUMBERS = [math.nan, math.inf, -math.inf, -0.0, 0.0, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -1e15, None]
WHOLE = [-(2**63), 2**63 - 1, 0, -1, 2**53 + 1, None]
TIMES = [*map(dt.datetime.fromisoformat, ("1582-01-01", "1969-12-31 23:59:59.999999", "2026-03-29 02:30")), None]
DAYS = [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(9999, 12, 31), None]


def _cycled(values: list, type_: pa.DataType) -> pa.Array:
    return pa.array([values[i % len(values)] for i in range(ROWS)], type_)


@pytest.fixture(scope="module")
def hostile(spark):
    columns = {"id": pa.array(range(ROWS))}
    for place, name in enumerate(NAMES):
        shifted = TEXTS[place:] + TEXTS[:place]
        columns[name] = _cycled([*shifted, None], pa.string())
    columns["number"] = _cycled(NUMBERS, pa.float64())
    columns["whole"] = _cycled(WHOLE, pa.int64())
    columns["at"] = _cycled(TIMES, pa.timestamp("us"))
    columns["day"] = _cycled(DAYS, pa.date32())
    columns["flag"] = _cycled([True, False, None], pa.bool_())
    df = spark.createDataFrame(pa.table(columns).to_pylist(), _schema(columns)).cache()
    sample, _ = sample_runs(df, None, (ROWS, 0))
    return df, sample.table.sort_by("id")


def _schema(columns):
    from pyspark.sql import types as T

    of = {"id": T.LongType(), "number": T.DoubleType(), "whole": T.LongType(), "at": T.TimestampNTZType()}
    of |= {"day": T.DateType(), "flag": T.BooleanType()}
    return T.StructType([T.StructField(name, of.get(name, T.StringType())) for name in columns])


def test_every_condition_on_hostile_columns_selects_the_same_rows_on_spark(hostile):
    df, table = hostile
    asked = []
    for name in table.column_names:
        if name == "id":
            continue
        array = plain(table[name])
        for feature in features((name,), array, array):
            some = {0, feature.size // 2, feature.size - 1}
            asked += [feature.condition(np.array([code])) for code in sorted(some)]
            asked.append(feature.condition(np.arange(min(3, feature.size))))
    assert len(asked) > 40
    told = df.selectExpr("id", *(f"({c.sql()}) IS TRUE AS k{i}" for i, c in enumerate(asked))).orderBy("id").collect()
    for i, condition in enumerate(asked):
        assert [row[f"k{i}"] for row in told] == condition.holds(table[condition.column]).tolist(), condition.sql()


def test_conditions_together_select_what_each_of_them_does(hostile):
    df, table = hostile
    found = []
    for name in ("a`b", "${env:HOME}", "number"):
        array = plain(table[name])
        first = next(f for f in features((name,), array, array) if f.part == "value")
        found.append(first.condition(np.arange(max(1, first.size // 2))))
    segment = Segment(tuple(found), 0.0, 0.0, 0.0, 0.0)
    assert inside(df, segment).count() == np.sum(segment.inside(table).to_numpy(zero_copy_only=False))
