"""The gates in real jobs: a real stream, real files, the user's own session."""

from datetime import date, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import byhistory as bh
from byhistory.config import Config
from byhistory.demo import INCIDENTS, orders, write_lake
from byhistory.demo.orders import FIRST_DAY
from byhistory.integrations import gate, guarded, guarding, window_gate, write_audit_publish
from byhistory.spark.catalog import tables_in_catalog
from byhistory.spark.read import Source, single_label

pytestmark = pytest.mark.spark

ROWS = 300
PAST = 9


def day(number, incident=None):
    table = orders(FIRST_DAY + timedelta(days=number), rows_a_day=ROWS)
    return table if incident is None else INCIDENTS[incident][1](table)


def label(number):
    return (FIRST_DAY + timedelta(days=number)).isoformat()


@pytest.fixture
def guard():
    with bh.Validator("memory:", config=Config()) as guard:
        yield guard


@pytest.fixture
def ready(spark, guard, tmp_path):
    """A guard that knows nine days of orders, backfilled in one job."""
    write_lake(tmp_path / "lake", days=PAST, rows_a_day=ROWS)
    guard.backfill(spark.read.parquet(str(tmp_path / "lake")), "orders", by="ds")
    assert [r.run for r in guard.store.runs("orders")] == [label(n) for n in range(PAST)]
    return guard


def frame(spark, tmp_path, number, incident=None):
    path = tmp_path / f"day{number}-{incident}.parquet"
    pq.write_table(day(number, incident), path)
    return spark.read.parquet(str(path))


def test_run_ten_comes_after_run_nine_and_is_the_one_that_is_sampled(spark):
    df = spark.range(120).selectExpr("id % 12 + 1 as run", "id")
    runs = bh.profile_runs(df, "run")
    assert list(runs) == [str(n) for n in range(1, 13)]
    assert [run for run, profile in runs.items() if profile.sample is not None] == ["12"]
    assert sorted(runs["12"].sample["id"].to_pylist()) == list(range(11, 120, 12))


def test_one_line_in_a_job(spark, ready, tmp_path):
    verdict = ready.check(frame(spark, tmp_path, PAST), "orders", run=label(PAST))
    assert verdict.ok, str(verdict)
    bad = ready.check(frame(spark, tmp_path, PAST + 1, "cents"), "orders", run=label(PAST + 1))
    with pytest.raises(bh.Unusual, match="sum"):
        bad.raise_if_unusual()


def test_a_decorated_job_returns_only_what_is_as_usual(spark, ready, tmp_path):
    @guarded(ready, "orders", run=lambda number, *_: label(number))
    def build(number, incident=None):
        return frame(spark, tmp_path, number, incident)

    assert build(PAST).count() > 0
    with pytest.raises(bh.Unusual):
        build(PAST + 1, "nulls")


def test_a_guarded_block_ends_with_the_alarm_after_the_job_has_tidied_up(spark, ready, tmp_path):
    tidied = []

    def job():
        with guarding(ready, "orders", label(PAST)) as audit:
            tidied.append(audit(frame(spark, tmp_path, PAST, "cents")).status)

    with pytest.raises(bh.Unusual):
        job()
    assert tidied == ["stop"]


def test_every_gate_keeps_back_what_is_warned_about_if_it_is_told_to(spark, ready, tmp_path):
    again, run = frame(spark, tmp_path, PAST - 1), label(PAST)  # the rows of the day before
    assert ready.check(again, "orders", run=run).level == "warn"
    places = {"staging": str(tmp_path / "staging"), "target": str(tmp_path / "target")}
    assert write_audit_publish(again, ready, "orders", run, **places).is_published
    assert not write_audit_publish(again, ready, "orders", run, **places, level="warn").is_published
    went = []

    def through(level):
        def then(*_):
            went.append("on")

        def otherwise(*_):
            went.append("aside")

        gate(ready, "orders", then, otherwise=otherwise, run_of=lambda *_: run, level=level)(again, 1)

    through("stop")
    through("warn")
    assert went == ["on", "aside"]
    with pytest.raises(bh.Unusual):
        gate(ready, "orders", lambda *_: None, run_of=lambda *_: run, level="warn")(again, 1)
    with pytest.raises(bh.Unusual):
        guarded(ready, "orders", lambda: run, level="warn")(lambda: again)()
    with pytest.raises(bh.Unusual), guarding(ready, "orders", run, level="warn") as audit:
        audit(again)
    with pytest.raises(bh.ByHistoryError, match="level"):
        gate(ready, "orders", lambda *_: None, level="as usual")


def test_write_audit_publish(spark, ready, tmp_path):
    places = {
        "staging": str(tmp_path / "staging"),
        "target": str(tmp_path / "target"),
        "quarantine": str(tmp_path / "bad"),
    }
    run = (frame(spark, tmp_path, PAST), ready, "orders", label(PAST))
    good = write_audit_publish(*run, **places)
    assert good.is_published
    published = spark.read.parquet(places["target"]).count()
    assert published == day(PAST).num_rows
    assert write_audit_publish(*run, **places).is_published
    assert spark.read.parquet(places["target"]).count() == published, "a job that is run again publishes the run once"
    assert [row["run"] for row in spark.read.parquet(places["target"]).select("run").distinct().collect()] == [
        date.fromisoformat(label(PAST))
    ]
    assert not [file for file in (tmp_path / "staging").rglob("*") if file.is_file()]
    bad = write_audit_publish(frame(spark, tmp_path, PAST + 1, "cents"), ready, "orders", label(PAST + 1), **places)
    assert not bad.is_published
    assert bad.path.startswith(places["quarantine"])
    assert spark.read.parquet(places["target"]).count() == published, "readers never see the bad run"
    assert spark.read.parquet(bad.path).count() > 0
    mended = write_audit_publish(frame(spark, tmp_path, PAST + 1), ready, "orders", label(PAST + 1), **places)
    assert mended.is_published
    assert spark.read.parquet(places["target"]).count() == published + day(PAST + 1).num_rows
    assert not Path(bad.path).exists(), "a run that was mended is in quarantine no more"


def stream(spark, tmp_path, feed):
    schema = spark.read.parquet(str(feed)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(feed))


def test_each_micro_batch_of_a_real_stream_is_a_run(spark, guard, tmp_path):
    feed = tmp_path / "feed"
    feed.mkdir()
    for number in range(PAST + 1):
        incident = "cents" if number == PAST else None
        pq.write_table(day(number, incident).drop_columns(["order_id", "created_at"]), feed / f"{number:03}.parquet")
    passed, stopped = [], []
    query = (
        stream(spark, tmp_path, feed)
        .writeStream.foreachBatch(
            gate(
                guard,
                "clicks",
                then=lambda df, number: passed.append((number, df.count())),
                otherwise=lambda _, number, verdict: stopped.append((number, verdict.status)),
            )
        )
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert [number for number, _ in passed] == list(range(PAST))
    assert stopped == [(PAST, "stop")]
    assert [r.outcome for r in guard.store.runs("clicks")] == ["learning"] * 7 + ["as usual"] * (PAST - 7) + ["stop"]


def test_windows_of_a_stream_are_sums_of_their_batches(spark, guard, tmp_path):
    feed = tmp_path / "feed"
    feed.mkdir()
    last = 2 * PAST
    for number in range(last + 2):
        incident = "cents" if number >= last else None
        pq.write_table(day(number, incident).drop_columns(["order_id", "created_at"]), feed / f"{number:03}.parquet")
    alarms = []
    batch = window_gate(
        guard,
        "clicks",
        then=lambda *_: None,
        window_of=lambda _, number: f"hour {number // 2}",
        alarm=lambda verdict: alarms.append((verdict.run, verdict.status)),
    )

    def twice(df, number):
        batch(df, number)
        batch(df, number)  # as after a failure between the check and the commit

    def run():
        query = (
            stream(spark, tmp_path, feed)
            .writeStream.foreachBatch(twice)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    run()
    assert [r.outcome for r in guard.store.runs("clicks")] == ["learning"] * 7 + ["as usual"] * (PAST - 7) + ["open"]
    hours = guard.store.runs("clicks")
    assert hours[0].rows == day(0).num_rows + day(1).num_rows
    pq.write_table(day(last + 2).drop_columns(["order_id", "created_at"]), feed / f"{last + 2:03}.parquet")
    run()  # the query starts again, and the next window closes the one before
    assert alarms == [(f"hour {PAST}", "stop")]


def test_a_catalog_is_looked_at_without_its_views(spark, tmp_path):
    spark.sql("CREATE DATABASE found_here")
    try:
        days = spark.range(40).selectExpr("id", "concat('2026-11-', lpad(id % 20 + 1, 2, '0')) AS ds")
        days.write.partitionBy("ds").saveAsTable("found_here.orders")
        days.selectExpr("id", "DATE'2026-11-01' AS born").write.saveAsTable("found_here.flat")
        spark.sql("CREATE TABLE found_here.empty (n INT, ds STRING) USING parquet PARTITIONED BY (ds)")
        spark.sql("CREATE VIEW found_here.seen AS SELECT * FROM found_here.orders")
        found = {table.name.rpartition(".")[2]: table for table in tables_in_catalog(spark, "found_here")}
        assert list(found) == ["empty", "flat", "orders"]
        assert (found["empty"].keys, found["empty"].runs) == (("ds",), ())
        assert (found["flat"].keys, found["flat"].dates) == ((), ("born",))
        assert (found["flat"].bytes or 0) > 100, "as Spark plans with"
        assert found["orders"].runs[::19] == (("2026-11-01",), ("2026-11-20",))
        assert found["orders"].width == 2
        with pytest.raises(bh.ByHistoryError, match="no row with a value in it"):
            single_label(spark.table("found_here.empty"), ("ds",), Source(catalog="found_here.empty"), latest=True)
    finally:
        spark.sql("DROP DATABASE found_here CASCADE")
