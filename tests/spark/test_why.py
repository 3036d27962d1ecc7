"""From a stopped run to its rows, on Spark."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from byhistory.config import Config
from byhistory.spark.why import examples, inside, outside, sample_runs
from byhistory.validator import Validator
from byhistory.why import Condition, Segment

pytestmark = pytest.mark.spark
ROWS = 3000


def shop(day: int) -> pa.Table:
    random = np.random.default_rng((5, day))  # noqa: TID251 - named by the day
    seconds = 1_767_225_600 + day * 86_400 + random.integers(0, 86_400, ROWS)
    return pa.table(
        {
            "id": day * 10**6 + np.arange(ROWS),
            "at": pa.array(seconds * 10**6, pa.timestamp("us", tz="UTC")),
            "source": random.choice(["web", "it's \\ odd", "store"], ROWS, p=[0.5, 0.3, 0.2]),
            "version": np.round(random.integers(40, 56, ROWS) / 10, 1),
            "code": [f"{'AB' if k % 3 else 'A'}-{k}" for k in random.integers(0, 10**5, ROWS)],
            "amount": pa.array(np.round(random.lognormal(3, 0.8, ROWS), 2), mask=random.random(ROWS) < 0.1),
            "said": [f"{dt.datetime.fromtimestamp(s, dt.timezone.utc):%Y-%m-%dT%H:%M:%S.5Z}" for s in seconds.tolist()],
        }
    )


def frame_of(spark, table):
    from pyspark.sql import functions as F

    df = spark.createDataFrame(table.to_pandas())
    for field in table.schema:  # a null is NaN in pandas, and stays that in Spark 3.5
        if pa.types.is_floating(field.type):
            df = df.withColumn(field.name, F.when(~F.isnan(field.name), F.col(field.name)))
    return df


def broken(table):
    mask = pc.and_(pc.equal(table["source"], "it's \\ odd"), pc.greater_equal(table["version"], 5.0))
    return table.set_column(5, "amount", pc.if_else(mask, pa.scalar(-999.0), table["amount"])), mask


def test_a_stopped_run_is_asked_why_and_is_as_usual_without_the_segment(spark):
    days = [shop(day) for day in range(10)]
    from byhistory.rows.local import profile_table

    guard = Validator("memory:", config=Config())
    how = guard.profiling("orders")  # with the key of the store, or every text would be a new one
    guard.remember([profile_table(t, run=f"2026-01-{day + 1:02}", **how) for day, t in enumerate(days)], "orders")
    bad, mask = broken(shop(10))
    df = frame_of(spark, bad)
    verdict = guard.check(df, "orders", "2026-01-11")
    assert not verdict.ok
    before = frame_of(spark, days[-1])
    answer = guard.why(df, verdict, before=before, columns=["amount"])
    assert {c.column for c in answer.segment.conditions} == {"source", "version"}
    assert answer.proof.rows == pc.sum(mask).as_py()
    assert answer.proof.is_gone, answer.proof


WRITTEN = "%Y-%m-%dT%H:%M:%S"
CONDITIONS = [
    Condition(("source",), "text", values=("it's \\ odd",)),
    Condition(("version",), "number", low=5.1),
    Condition(("id",), "whole", low=10.5, high=2000.0),
    Condition(("code",), "text", "pattern", ("l-d",)),
    Condition(("amount",), "number", "null", (True,)),
    Condition(("amount",), "number", "null", (False,)),
    Condition(("at",), "time", "hour", (), 3.0, 9.0),
    Condition(("at",), "time", "weekday", (2,)),
    Condition(("at",), "time", low=1_767_225_600.0 + 3600, high=1_767_225_600.0 + 7200),
    Condition(("said",), "local time", low=1_767_225_600.0 + 3600, high=1_767_225_600.0 + 7200, written=WRITTEN),
    Condition(("said",), "local time", "hour", (), 3.0, 9.0, written=WRITTEN),
]


def test_spark_keeps_the_rows_that_every_condition_says(odd_hours):
    df, table = odd_hours
    asked = [f"({c.sql()}) IS TRUE AS k{i}" for i, c in enumerate(CONDITIONS)]
    found = df.selectExpr("id", *asked).orderBy("id").collect()
    for i, condition in enumerate(CONDITIONS):
        assert [row[f"k{i}"] for row in found] == condition.holds(table[condition.column]).tolist(), condition


def test_a_segment_and_the_rest_are_all_rows_even_where_values_are_missing(odd_hours):
    df, _ = odd_hours
    segment = Segment((Condition(("amount",), "number", low=20.0),), 0.0, 0.0, 0.0, 0.0)
    assert 0 < inside(df, segment).count() == ROWS - outside(df, segment).count()


@pytest.fixture(scope="module")
def odd_hours(spark):
    df = frame_of(spark, shop(0)).cache()
    sampled, _ = sample_runs(df, None, (ROWS, 0))
    return df, sampled.table.sort_by("id")


def test_examples_show_no_masked_values(odd_hours):
    df, _ = odd_hours
    (row, other) = examples(df, 2, masked=["code"])
    assert row["code"] == other["code"] == "•••"
    assert isinstance(row["at"], dt.datetime)
