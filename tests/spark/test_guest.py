"""A guest in the user's session: one job, nothing changed, nothing left behind. Classic Spark only: it looks inside."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as F
from tests.strategies import seeded

from byhistory.profile import TableProfile
from byhistory.spark.profiler import profile, profile_runs

pytestmark = pytest.mark.spark


def wide(columns: int, rows: int) -> pa.Table:
    """Numbers and text in turn; column i has min(rows, i + 1) distinct values."""
    numbers = [np.arange(rows) % (i + 1) for i in range(columns)]
    return pa.table(
        [pa.array(n) if i % 2 else pa.array([f"v{x}" for x in n.tolist()]) for i, n in enumerate(numbers)],
        names=[f"c{i}" for i in range(columns)],
    )


def test_one_profile_is_one_job(spark, jobs):
    df = spark.range(0, 1000, 1, 8).select("id", F.col("id").cast("string").alias("s"))
    assert jobs(lambda: profile(df)) == 1
    assert jobs(lambda: profile(df.limit(0))) <= 1
    assert jobs(lambda: profile_runs(df.withColumn("ds", F.col("id") % 7), "ds")) == 1


def test_an_answer_is_two_jobs_at_most_however_many_columns_there_are(frame, jobs):
    from byhistory.config import Config
    from byhistory.rows.local import profile_table
    from byhistory.validator import Validator

    def day(number: int) -> pa.Table:
        random = seeded(number)
        parts = random.choice(["a", "b", "c"], 500)
        columns = {f"x{i}": pa.array(random.normal(0, 1, 500), mask=(parts == "b") & (number == 6)) for i in range(60)}
        return pa.table({"part": parts, **columns})

    guard = Validator("memory:", config=Config())
    guard.remember([profile_table(day(number), run=f"{number}") for number in range(6)], "t")
    verdict = guard.judge(profile_table(day(6), run="6"), "t")
    days = [day(number).append_column("run", pa.array([number] * 500)) for number in (5, 6)]
    both, seen = frame(pa.concat_tables(days)), {}
    before, now = (both.where(f"run = {n}").drop("run") for n in (5, 6))
    assert jobs(lambda: seen.update(answer=guard.why(now, verdict, before=before))) <= 2
    assert str(seen["answer"].segment) == "part = 'b'"
    assert seen["answer"].proof is not None
    retyped = before.withColumn("x3", F.col("x3").cast("string")).withColumnRenamed("x4", "X4")
    assert jobs(lambda: seen.update(answer=guard.why(now, verdict, before=retyped, columns=["x0"]))) <= 2
    assert str(seen["answer"].segment) == "part = 'b'"


def test_it_stays_one_job_where_spark_plans_adaptively(spark, jobs):
    assert spark.conf.get("spark.sql.adaptive.enabled") == "true"
    assert jobs(lambda: profile(spark.range(0, 5000, 1, 16))) == 1


def test_a_thousand_columns_are_one_job(frame, jobs):
    df = frame(wide(1000, rows=40))
    seen: dict[str, TableProfile] = {}
    assert jobs(lambda: seen.update(mine=profile(df))) == 1
    assert [seen["mine"][c].distinct for c in seen["mine"]] == [min(40, i + 1) for i in range(1000)]


@pytest.mark.slow
def test_five_thousand_columns(frame):
    mine = profile(frame(wide(5000, rows=20)))
    assert [mine[c].distinct for c in mine] == [min(20, i + 1) for i in range(5000)]
    assert mine["c4998"].text.chars == sum(len(f"v{i}") for i in range(20))


def listing(folder: str | Path) -> set[str]:
    """Everything below a folder; what other processes take away meanwhile is passed over."""
    return {str(Path(at, name)) for at, folders, names in os.walk(folder) for name in (*folders, *names)}


def settings_of(spark):
    return {row.key: row.value for row in spark.sql("SET").collect()}


def test_nothing_is_left_behind(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    df = spark.range(0, 1000, 1, 4).withColumn("ds", F.col("id") % 3)
    df.createOrReplaceTempView("the_users_table")
    profile(df)  # Spark's own shuffle and worker folders exist from here on
    settings = settings_of(spark)
    context = dict(spark.sparkContext.getConf().getAll())
    environment = dict(os.environ)
    tables = [t.name for t in spark.catalog.listTables()]
    files = listing(tempfile.gettempdir())

    profile(df)
    profile_runs(df, "ds")

    now = settings_of(spark)
    assert now == settings
    assert dict(spark.sparkContext.getConf().getAll()) == context
    assert dict(os.environ) == environment
    assert [t.name for t in spark.catalog.listTables()] == tables
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()
    assert not df.is_cached
    assert listing(tmp_path) == set()
    # Other processes use the same folder: what counts is what carries our name, but for the server of other tests.
    new = {f for f in listing(tempfile.gettempdir()) - files if "byhistory" in f and "byhistory-postgres" not in f}
    assert not new
    spark.catalog.dropTempView("the_users_table")


def test_it_works_on_the_session_of_the_frame_and_makes_none(spark):
    other = spark.newSession()
    other.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    df = other.sql("select timestamp'2026-01-01 00:00:00' as at")
    mine = profile(df)
    assert mine["at"].numbers.low == 1_767_193_200.0  # midnight in Tokyo
    assert spark.conf.get("spark.sql.session.timeZone") == "America/New_York"
    assert type(spark).getActiveSession() is not None


def test_an_error_of_the_users_plan_stays_theirs(spark):
    df = spark.range(3).select(F.raise_error(F.lit("the user's own mistake")).cast("int").alias("c"))
    with pytest.raises(Exception, match="the user's own mistake"):
        profile(df)


def test_a_defect_in_a_column_names_it(spark, monkeypatch):
    from byhistory.errors import BadInput
    from byhistory.profile import Kind
    from byhistory.rows import chunk
    from byhistory.rows.field import Field, Options

    def broken(*_: object) -> None:
        raise ValueError("something odd")

    monkeypatch.setattr(chunk, "number_states", broken)
    with pytest.raises(BadInput, match=r"Column 'price'.*something odd"):
        chunk.profile_array(pa.array([1]), Field("price", Kind.NUMERIC, "int"), Options())
