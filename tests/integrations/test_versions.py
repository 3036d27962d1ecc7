"""Time travel as history: Delta tables on a Connect server that is not Spark."""

from __future__ import annotations

import json

import pytest
from tests.integrations.hosts import host, run

pytestmark = pytest.mark.integration

DAYS = """
import json, os, time
from datetime import timedelta
from byhistory import Validator
from byhistory.config import Config
from byhistory.demo.orders import FIRST_DAY, INCIDENTS, orders
COLUMNS = ["country", "amount"]
def day(n, incident=None):
    table = orders(FIRST_DAY + timedelta(days=n), 120).select(COLUMNS)
    return INCIDENTS[incident][1](table) if incident else table
def frame(n, incident=None):
    return spark.createDataFrame(day(n, incident).to_pandas())
def judged(guard, **where):
    guard.backfill_versions(spark, "orders", versions=12, **where)
    runs = guard.runs("orders")
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
    done = run(host(name), "-c", script, cwd=folder, timeout=540)
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
