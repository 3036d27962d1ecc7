"""What was learned, read by the tool it was written for: a good day passes, bad days fail for the right reason."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.histories import demo
from tests.integrations.hosts import DBT_PROFILE, DBT_PROJECT, host, run
from tests.integrations.lake import example

from byhistory.config import Config
from byhistory.demo.orders import FIRST_DAY, INCIDENTS, orders
from byhistory.export import Export
from byhistory.validator import Validator

pytestmark = pytest.mark.integration

ROWS = 2_000
BAD = {"cents": ("amount", "mean"), "nulls": ("email", "complete_ratio")}
"""The incidents that limits one by one can see, and the limit that must say so."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The day after the history, as it should be and as it should not."""
    folder = tmp_path_factory.mktemp("days")
    good = orders(FIRST_DAY + timedelta(days=30), ROWS)
    pq.write_table(good, folder / "good.parquet")
    for name in BAD:
        pq.write_table(INCIDENTS[name][1](good), folder / f"{name}.parquet")
    return folder


@pytest.fixture(scope="module")
def exported():
    guard = Validator("memory:", config=Config())
    guard.remember(demo(30, ROWS), "orders")

    def write(name: str, to: Path) -> Export:
        export = guard.learning.export("orders", name)
        for file, text in export.files.items():
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            (to / file).write_text(text)
        return export

    return write


GX = """
import json, sys
import great_expectations as gx
import pandas as pd
suite_file, *days = sys.argv[1:]
context = gx.get_context(mode="ephemeral")
body = json.load(open(suite_file))
suite = context.suites.add(gx.ExpectationSuite(name=body["name"], expectations=body["expectations"], meta=body["meta"]))
frames = context.data_sources.add_pandas("days").add_dataframe_asset("orders").add_batch_definition_whole_dataframe("b")
said = {}
for day in days:
    frame = pd.read_parquet(f"{day}.parquet")
    result = frames.get_batch({"dataframe": frame}).validate(suite)
    said[day] = {
        "judged": len(result.results),
        "errors": [str(r.exception_info) for r in result.results if (r.exception_info or {}).get("raised_exception")],
        "broken": [
            c.meta.get("byhistory", {}).get("metric", "?") + " " + str(c.kwargs.get("column"))
            for r in result.results if not r.success for c in [r.expectation_config]
        ],
    }
print(json.dumps(said))
"""


def test_great_expectations_reads_the_suite(folder, exported):
    exported("gx", folder)
    suite = json.loads((folder / "orders.gx.json").read_text())
    done = run(host("gx"), "-c", GX, "orders.gx.json", "good", *BAD, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["good"] == {"judged": len(suite["expectations"]), "errors": [], "broken": []}
    for day, (column, metric) in BAD.items():
        assert said[day]["errors"] == []
        assert f"{metric} {column}" in said[day]["broken"]


def test_soda_reads_the_checks(folder, exported):
    exported("soda", folder)
    script = """
import json, sys, duckdb
from soda.scan import Scan
said = {}
for day in sys.argv[1:]:
    connection = duckdb.connect()
    connection.execute(f"create table orders as select * from '{day}.parquet'")
    scan = Scan()
    scan.add_duckdb_connection(connection)
    scan.set_data_source_name("duckdb")
    scan.add_sodacl_yaml_file("orders.soda.yml")
    scan.disable_telemetry() if hasattr(scan, "disable_telemetry") else None
    scan.execute()
    results = scan.get_scan_results()
    said[day] = {"judged": len(results["checks"]), "errors": scan.get_error_logs_text() or "",
                 "broken": [c["name"] for c in results["checks"] if c["outcome"] != "pass"]}
print(json.dumps(said))
"""
    done = run(host("soda"), "-c", script, "good", *BAD, cwd=folder, env={"SODA_CORE_TELEMETRY_TEST_MODE": "on"})
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["good"]["errors"] == ""
    assert said["good"]["broken"] == []
    assert said["good"]["judged"] > 40
    for day, (column, metric) in BAD.items():
        assert f"{column} {metric}" in said[day]["broken"]


@pytest.mark.parametrize(("tool", "to"), [("gx", "expectations"), ("soda", "checks")])
def test_the_example_of_the_page_runs_as_it_stands(folder, exported, tmp_path, tool, to):
    exported(tool, tmp_path / to)
    words = {"gx": "Great Expectations, with", "soda": "Soda Core 3, with"}[tool]
    (tmp_path / "example.py").write_text(example("export.md", words))
    day = tmp_path / "lake" / "orders" / "ds=2026-10-02"
    day.mkdir(parents=True)
    said = []
    for name in ("good", "cents"):
        shutil.copy(folder / f"{name}.parquet", day / "part-0.parquet")
        done = run(host(tool), "example.py", cwd=tmp_path, env={"SODA_CORE_TELEMETRY_TEST_MODE": "on"})
        assert done.returncode == 0, done.stderr[-3000:]
        said.append(done.stdout.strip())
    assert said[0].splitlines()[-1] == "as usual"
    assert "as usual" not in said[1]
    assert "amount" in said[1]


@pytest.mark.parametrize("day", ["good", *BAD])
def test_dbt_runs_the_tests(folder, exported, tmp_path, day):
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text(DBT_PROJECT)
    (tmp_path / "profiles.yml").write_text(DBT_PROFILE)
    (tmp_path / "models" / "orders.sql").write_text(f"select * from '{folder / day}.parquet'")  # noqa: S608
    export = exported("dbt", tmp_path)
    done = run(host("dbt").with_name("dbt"), "build", "--profiles-dir", ".", cwd=tmp_path)
    results = json.loads((tmp_path / "target" / "run_results.json").read_text())["results"]
    status = {r["unique_id"].split(".")[2]: r["status"] for r in results}
    assert len(status) == export.limits + 1, done.stdout[-3000:]
    broken = {name for name, what in status.items() if what not in ("pass", "success")}
    if day == "good":
        assert not broken
        assert done.returncode == 0
    else:
        column, metric = BAD[day]
        assert status[f"byhistory_orders_{column}_{metric}"] == "fail", done.stdout[-3000:]
        assert done.returncode == 1


def test_a_data_contract_is_valid_and_tested(folder, exported):
    exported("odcs", folder)
    contract = (folder / "orders.odcs.yaml").read_text()
    python = host("odcs")
    linted = run(python.with_name("datacontract"), "lint", "orders.odcs.yaml", cwd=folder)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    for day in ("good", *BAD):
        server = f"servers: [{{server: {day}, type: local, path: ./{day}.parquet, format: parquet}}]\n"
        (folder / f"{day}.odcs.yaml").write_text(contract + server)
        out = folder / f"{day}.json"
        script = (
            "import json, sys\n"
            "from datacontract.data_contract import DataContract\n"
            "run = DataContract(data_contract_file=sys.argv[1], server=sys.argv[2]).test()\n"
            "said = [[str(c.qualityDefinition or c.name), c.field or '', getattr(c.result, 'value', None), c.reason]"
            " for c in run.checks]\n"
            "json.dump(said, open(sys.argv[3], 'w'))\n"
        )
        done = run(python, "-c", script, f"{day}.odcs.yaml", day, str(out), cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        # It says "warning" of every type, because it does not look at types in Parquet files yet.
        broken = [check for check in json.loads(out.read_text()) if check[2] not in ("passed", "warning")]
        if day == "good":
            assert broken == []
            assert len(json.loads(out.read_text())) > 40
        else:
            column, metric = BAD[day]
            assert any(column == check[1] and metric in check[0] for check in broken), broken
