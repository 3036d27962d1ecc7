"""The answer for what watches many pipelines: OpenLineage events and Prometheus metrics."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from functools import cache

from tests.histories import demo, demo_table

from byhistory import check, learn
from byhistory.demo.orders import INCIDENTS
from byhistory.profile import TableProfile
from byhistory.report.openlineage import to_openlineage
from byhistory.report.prometheus import STATUSES, Checked, to_prometheus
from byhistory.rows.local import profile_table
from byhistory.verdict import Finding, Verdict

AT = datetime(2026, 11, 15, 6, 30, tzinfo=timezone.utc)
ID = "01939f7e-0000-7000-8000-000000000001"


@cache
def judged(incident: str = "") -> tuple[Verdict, TableProfile]:
    past = demo(20)
    table = demo_table(20)
    now = profile_table(INCIDENTS[incident][1](table) if incident else table, run="2026-09-21")
    return check(now, learn(past), past, table="orders"), now


def event(verdict: Verdict, now: TableProfile) -> dict:
    return json.loads(to_openlineage(verdict, now, at=AT, run_id=ID))


def test_an_event_says_what_was_measured_and_asserted():
    body = event(*judged())
    (dataset,) = body["inputs"]
    metrics = dataset["inputFacets"]["dataQualityMetrics"]
    assertions = dataset["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert body["eventType"] == "COMPLETE"
    assert metrics["rowCount"] == judged()[1].rows
    assert metrics["columnMetrics"]["coupon"]["nullCount"] == judged()[1]["coupon"].nulls
    assert {"min", "max", "sum", "quantiles"} <= metrics["columnMetrics"]["amount"].keys()
    assert assertions
    assert all(a["success"] for a in assertions)


def test_a_stopped_run_is_a_failed_one_and_names_the_column():
    body = event(*judged("cents"))
    assertions = body["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert body["eventType"] == "FAIL"
    assert {"amount"} == {a["column"] for a in assertions if not a["success"]}


def test_a_finding_without_a_metric_is_an_assertion_too():
    gone = Verdict("1", (Finding("missing column", "amount", "the column is gone"),), {}, table="orders")
    (assertion,) = event(gone, judged()[1])["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (assertion["assertion"], assertion["success"], assertion["column"]) == ("missing column", False, "amount")


def test_every_line_for_prometheus_is_a_comment_or_a_sample_and_no_series_comes_twice():
    lines = to_prometheus([Checked(judged("cents")[0], 7, AT)]).splitlines()
    series = [line.rpartition(" ")[0] for line in lines if not line.startswith("# ")]
    assert len(series) == len(set(series))
    assert all(re.fullmatch(r'byhistory_\w+\{(\w+="[^"]*",?)+\}', one) for one in series)
    assert 'byhistory_status{table="orders",status="stop"} 1.0' in lines
    assert 'byhistory_rows{table="orders"} 7.0' in lines


def test_exactly_one_status_holds():
    text = to_prometheus([Checked(judged()[0], 7, AT)])
    found = {s: f'byhistory_status{{table="orders",status="{s}"}} 1.0' in text for s in STATUSES}
    assert sum(found.values()) == 1


def test_a_hostile_table_name_stays_one_label():
    text = to_prometheus([Checked(Verdict("1", (), {}, table='a"} 1\nb\\'), 0, AT)])
    assert 'byhistory_rows{table="a\\"} 1\\nb\\\\"} 0.0\n' in text


def test_two_columns_that_read_the_same_are_one_series_and_nothing_in_a_name_acts():
    same = {name: judged()[0].columns["amount"] for name in ("p\u202ex", "p\\u202ex", "##[error]", "x\r\x1b[31m")}
    lines = to_prometheus([Checked(Verdict("1", (), same, table="orders"), 7, AT)]).splitlines()
    series = [line.rpartition(" ")[0] for line in lines if not line.startswith("# ")]
    assert len(series) == len(set(series))
    assert not any(c in "".join(lines) for c in ("\u202e", "\r", "\x1b", "##["))
