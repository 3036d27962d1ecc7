"""Time travel as history, and publishing by it: Iceberg on Spark itself, Delta on a Connect server (not Spark)."""

from __future__ import annotations

import json

import pytest
from tests.integrations.hosts import host, run

pytestmark = pytest.mark.integration

DAYS = """
import json, os, time
import pyarrow.parquet as pq
from datetime import timedelta
from byhistory import Validator
from byhistory.config import Config
from byhistory.errors import ByHistoryError
from byhistory.demo.orders import FIRST_DAY, INCIDENTS, orders
COLUMNS = ["country", "amount"]
def day(n, incident=None):
    table = orders(FIRST_DAY + timedelta(days=n), 120).select(COLUMNS)
    return INCIDENTS[incident][1](table) if incident else table
def frame(n, incident=None):
    path = os.path.abspath(f"days/{incident or 'good'}-{n}.parquet")
    if not os.path.exists(path):
        os.makedirs("days", exist_ok=True)
        pq.write_table(day(n, incident), path)
    return spark.read.parquet(path)
def judged(guard, **where):
    guard.sources.backfill_versions("orders", spark, versions=12, **where)
    runs = guard.records.runs("orders")
    return {
        "rows": [line.rows for line in runs], "labels": len({line.run for line in runs}),
        "good": guard.check(frame(9), "orders", "2099-01-01T00:00:00").verdict.ok,
        "bad": guard.check(frame(9, "cents"), "orders", "2099-01-02T00:00:00").verdict.ok,
    }
"""
SAIL = (
    """
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession
server = SparkConnectServer()
server.start(background=True)
spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
"""
    + DAYS
)


def said(name: str, script: str, folder) -> dict:
    done = run(host(name), "-c", script, cwd=folder, timeout=1500)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_versions_of_a_delta_table_are_its_past(tmp_path):
    script = """
said = {}
for way in ("overwrite", "append"):
    path = os.path.abspath(way)
    for n in range(9):
        frame(n).write.format("delta").mode(way).save(path)
        time.sleep(1.1)  # labels are to the second
    said[way] = judged(Validator("memory:", config=Config()), path=path)
    said[way]["expected"] = [day(n).num_rows for n in range(9)]
print(json.dumps(said))
"""
    for way, found in said("sail", SAIL + script, tmp_path).items():
        assert found["rows"] == found["expected"], f"{way}: a run is what a commit wrote"
        assert (found["labels"], found["good"], found["bad"]) == (9, True, False), way


def test_a_delta_table_of_the_catalog_is_judged_by_commit_and_restored(tmp_path):
    script = """
from byhistory.integrations.lake import write_audit_restore
path = os.path.abspath("orders")
for n in range(6):  # ten commits in all: beyond its first checkpoint this server reads no older version
    frame(n).write.format("delta").mode("overwrite").save(path)
    time.sleep(1.1)
spark.sql(f"CREATE TABLE orders USING delta LOCATION '{path}'")
guard = Validator("memory:", config=Config())
guard.sources.backfill_versions("orders", spark, catalog="orders", versions=60)
said = {"backfilled": len(guard.records.runs("orders"))}
frame(8).write.format("delta").mode("overwrite").save(path)
first = guard.sources.check_version("orders", spark, catalog="orders")
said["check"] = [first.ok, first.profile.rows == day(8).num_rows]
try:
    guard.sources.check_version("orders", spark, path)
except ByHistoryError as error:
    said["again"] = error.found
rows = lambda: spark.read.format("delta").load(path).count()
time.sleep(1.1)
kept = write_audit_restore(frame(9), guard, "orders", "2099-01-01", target=path)
said["good"] = [kept.is_published, rows() == day(9).num_rows]
bad = write_audit_restore(frame(10, "cents"), guard, "orders", "2099-01-02", target=path)
restored = spark.read.format("delta").load(path).toPandas()
said["bad"] = [bad.is_published, bad.verdict.level, len(restored) == day(9).num_rows]
said["amounts"] = abs(float(restored["amount"].mean() - day(9).to_pandas()["amount"].mean())) < 1e-9
print(json.dumps(said))
"""
    found = said("sail", SAIL + script, tmp_path)
    assert found["backfilled"] == 6
    assert found["check"] == [True, True]
    assert "judged already: learning" in found["again"]
    assert found["good"] == [True, True]
    assert found["bad"] == [False, "stop", True]
    assert found["amounts"]


ICEBERG = (
    """
import os
from pathlib import Path
import snowpark_connect_deps_iceberg
from byhistory.spark.session import SHORT_LIVED, open_session
(jar,) = Path(snowpark_connect_deps_iceberg.__file__).parent.glob("jars/iceberg-spark-runtime-3.5_2.12-*.jar")
CONF = {
    "spark.jars": str(jar),
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.lake.type": "hadoop",
    "spark.sql.catalog.lake.warehouse": os.path.abspath("warehouse"),
}
spark = open_session("iceberg", master="local[2]", conf=CONF, compiler=SHORT_LIVED)
"""
    + DAYS
)


def test_the_snapshots_of_an_iceberg_table_are_its_past_and_its_branches_are_audited(tmp_path):
    script = """
from typer.testing import CliRunner
from byhistory.cli import app
from byhistory.integrations.lake import publish_branch, write_audit_publish_branch

def byhistory(*arguments):  # in this process, so that the session is this one
    done = CliRunner().invoke(app(), ["--store", "sqlite:///history.db", *arguments])
    return [done.exit_code, done.output]

said = {}
for n in range(8):
    frame(n).writeTo("lake.shop.daily").using("iceberg").createOrReplace()
    if n:
        frame(n).writeTo("lake.shop.grown").append()
    else:
        frame(n).writeTo("lake.shop.grown").using("iceberg").create()
spark.sql("CALL lake.system.rewrite_data_files(table => 'shop.grown', options => map('rewrite-all', 'true'))")
expected = [day(n).num_rows for n in range(8)]

# A table that is made anew: by the command line.
said["backfill"] = byhistory("backfill", "daily", "--catalog", "lake.shop.daily", "--versions", "12")
with Validator("sqlite:///history.db", config=Config()) as guard:
    said["daily"] = [line.rows for line in guard.records.runs("daily")] == expected
frame(8).writeTo("lake.shop.daily").createOrReplace()
said["check"] = byhistory("check", "daily", "--catalog", "lake.shop.daily")
said["again"] = byhistory("check", "daily", "--catalog", "lake.shop.daily")
said["some"] = byhistory("backfill", "daily", "--catalog", "lake.shop.daily", "--versions", "3")
with Validator("sqlite:///history.db", config=Config()) as guard:
    said["kept"] = guard.records.runs("daily")[-1].outcome

# Found in the catalog, and brought in by what its metadata tell.
ds = "element_at(array('2026-11-01', '2026-11-02'), 1 + int(amount) % 2) as ds"
parted = frame(0).selectExpr("country", "amount", ds)
parted.sortWithinPartitions("ds").writeTo("lake.shop.parted").using("iceberg").partitionedBy("ds").create()
said["init"] = byhistory("init", "--catalog", "lake.*", "--owner", "ann")
said["all"] = byhistory("backfill", "--all")
said["twice"] = [byhistory("check", "--all", "--latest", "--tables", "lake.shop.*d*") for _ in range(2)]

# A table that grows: a run is what a commit added, and only a run that is as usual reaches main.
guard = Validator("memory:", config=Config())
grown = "lake.shop.grown"
guard.sources.backfill_versions("grown", spark, catalog=grown)
said["grown"] = [line.rows for line in guard.records.runs("grown")] == expected
count = lambda: spark.table(grown).count()
before = count()
bad = write_audit_publish_branch(frame(8, "cents"), guard, "grown", "2099-01-01", target=grown)
said["bad"] = [bad.is_published, bad.verdict.level, count() == before, spark.table(bad.path).count() > before]
good = write_audit_publish_branch(frame(8), guard, "grown", "2099-01-02", target=grown)
said["good"] = [good.is_published, count() == before + day(8).num_rows]
said["refs"] = sorted(row[0] for row in spark.table(grown + ".refs").select("name").collect())
spark.sql(f"ALTER TABLE {grown} CREATE BRANCH mine")
frame(9).writeTo(grown + ".branch_mine").append()
mine = publish_branch(spark, guard, "grown", target=grown, branch="mine")
said["mine"] = [mine.is_published, count() == before + day(8).num_rows + day(9).num_rows]
try:
    guard.sources.check_version("grown", spark, catalog=grown)
except ByHistoryError as error:
    said["published"] = error.found
spark.sql(f"ALTER TABLE {grown} CREATE BRANCH late")
frame(10).writeTo(grown + ".branch_late").append()
frame(11).writeTo(grown).append()
try:
    publish_branch(spark, guard, "grown", target=grown, branch="late")
except ByHistoryError as error:
    said["late"] = error.found
print(json.dumps(said))
"""
    found = said("iceberg", ICEBERG + script, tmp_path)
    assert found["backfill"][0] == 0, found["backfill"]
    assert "8 commits" in found["backfill"][1]
    assert found["daily"], "of a table that is made anew, a run is the whole table"
    assert found["check"][0] == 0, found["check"]
    assert "as usual" in found["check"][1]
    assert found["again"][0] == 2
    assert "judged already: as usual" in found["again"][1]
    assert (found["some"][0], found["kept"]) == (0, "as usual"), "a verdict is not forgotten"
    assert found["init"][0] == 0, found["init"]
    said_of = {line.split()[0]: line for line in found["init"][1].splitlines() if line.startswith("lake.")}
    assert "its versions: 9 commits" in said_of["lake.shop.daily"]
    assert "ds          2 runs, daily, 2026-11-01 to 2026-11-02" in said_of["lake.shop.parted"]
    assert all("KB" in line for line in said_of.values()), "how much is to be read"
    assert found["all"][0] == 0, found["all"]
    assert "backfilled: 3 tables with 19 runs" in found["all"][1]
    assert [code for code, *_ in found["twice"]] == [0, 0], "a table that nobody wrote to is no failure"
    assert "without a commit since the last verdict, which stands: lake.shop.daily" in found["twice"][1][1]
    assert found["twice"][1][1].splitlines()[-1] == found["twice"][0][1].splitlines()[-1]
    assert found["grown"], "of a table that grows, a run is what a commit added"
    assert found["bad"] == [False, "stop", True, True]
    assert found["good"] == [True, True]
    assert found["refs"] == ["audit_2099_01_01", "main"]
    assert found["mine"] == [True, True]
    assert "judged already: as usual" in found["published"]
    assert "main was written to since" in found["late"]
