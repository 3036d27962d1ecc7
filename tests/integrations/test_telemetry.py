"""Events and metrics, read by the libraries they are written for."""

from __future__ import annotations

import json

import pytest
from tests.integrations.hosts import host, run

pytestmark = pytest.mark.integration

JUDGED = """
import json, sys
from datetime import datetime, timedelta, timezone
from byhistory import check, learn, profile_table
from byhistory.demo.orders import FIRST_DAY, INCIDENTS, orders
def day(n):
    return orders(FIRST_DAY + timedelta(days=n), 100).select(["country", "amount"])
past = [profile_table(day(n), run=f"{n:02}") for n in range(10)]
bad = profile_table(INCIDENTS["cents"][1](day(10)), run="10")
verdict = check(bad, learn(past), past, table="orders")
at = datetime(2026, 11, 15, 6, 30, tzinfo=timezone.utc)
"""


def said(script: str, folder) -> object:
    done = run(host("lineage"), "-c", JUDGED + script, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_openlineage_reads_both_quality_facets_and_sends_them(tmp_path):
    script = """
from uuid import UUID
from byhistory.report.openlineage import to_openlineage
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, Run, RunEvent, RunState
from openlineage.client.facet_v2 import data_quality_assertions_dataset as quality
from openlineage.client.facet_v2 import data_quality_metrics_input_dataset as measured
from openlineage.client.transport.file import FileConfig, FileTransport

body = json.loads(to_openlineage(verdict, bad, at=at, run_id=str(UUID(int=7)), namespace="shop"))
(dataset,) = body["inputs"]
metrics, asserted = (dataset["inputFacets"][n] for n in ("dataQualityMetrics", "dataQualityAssertions"))
def own(facet):
    return {k: v for k, v in facet.items() if not k.startswith("_")}
columns = {name: measured.ColumnMetrics(**m) for name, m in metrics["columnMetrics"].items()}
facets = {
    "dataQualityMetrics": measured.DataQualityMetricsInputDatasetFacet(**own(metrics) | {"columnMetrics": columns}),
    "dataQualityAssertions": quality.DataQualityAssertionsDatasetFacet(
        assertions=[quality.Assertion(**a) for a in asserted["assertions"]]
    ),
}
assert metrics["_schemaURL"] == facets["dataQualityMetrics"]._get_schema()
assert asserted["_schemaURL"] == facets["dataQualityAssertions"]._get_schema()
event = RunEvent(
    eventType=RunState[body["eventType"]], eventTime=body["eventTime"], run=Run(runId=body["run"]["runId"]),
    job=Job(**body["job"]), producer=body["producer"],
    inputs=[InputDataset(namespace=dataset["namespace"], name=dataset["name"], inputFacets=facets)],
)
assert body["schemaURL"] == event.schemaURL, event.schemaURL
OpenLineageClient(transport=FileTransport(FileConfig(log_file_path="events.ndjson", append=True))).emit(event)
sent = json.loads(open("events.ndjson").readline())
def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if not k.startswith("_") and v not in (None, {}, [])}
    return [plain(v) for v in value] if isinstance(value, list) else value
print(json.dumps({
    "type": sent["eventType"], "same": plain(sent["inputs"]) == plain(body["inputs"]),
    "broken": sorted({a["column"] for a in asserted["assertions"] if not a["success"]}),
}))
"""
    assert said(script, tmp_path) == {"type": "FAIL", "same": True, "broken": ["amount"]}


def test_prometheus_parses_the_text(tmp_path):
    script = """
from prometheus_client.parser import text_string_to_metric_families
from byhistory.report.prometheus import Checked, to_prometheus
families = {f.name: f for f in text_string_to_metric_families(to_prometheus([Checked(verdict, bad.rows, at)]))}
status = {s.labels["status"]: s.value for s in families["byhistory_status"].samples}
high = {(s.labels["column"], s.labels["metric"]) for s in families["byhistory_metric_high"].samples}
rows = families["byhistory_rows"].samples[0].value
print(json.dumps({"status": status, "rows": rows == bad.rows, "some": len(high) > 1}))
"""
    status = {"as usual": 0.0, "learning": 0.0, "warn": 0.0, "stop": 1.0}
    assert said(script, tmp_path) == {"status": status, "rows": True, "some": True}


def test_opentelemetry_records_what_was_found(tmp_path):
    script = """
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from byhistory.integrations.telemetry import record
reader = InMemoryMetricReader()
meter = MeterProvider(metric_readers=[reader]).get_meter("byhistory")
record(verdict, bad.rows, meter)
record(verdict, bad.rows, meter)
(resource,) = reader.get_metrics_data().resource_metrics
points = {m.name: list(m.data.data_points) for m in resource.scope_metrics[0].metrics}
checks = [(dict(p.attributes), p.value) for p in points["byhistory.checks"]]
print(json.dumps({"checks": checks, "rows": points["byhistory.rows"][0].value == bad.rows,
                  "metrics": len(points["byhistory.metric"]) > 3}))
"""
    checks = [[{"table": "orders", "status": "stop"}, 2]]
    assert said(script, tmp_path) == {"checks": checks, "rows": True, "metrics": True}
