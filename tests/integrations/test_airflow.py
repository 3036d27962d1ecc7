"""The examples of the Airflow page, run by Airflow 3 and by Airflow 2.11."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.integrations.hosts import host, run
from tests.integrations.lake import BAD, GOOD, example, make_lake

pytestmark = pytest.mark.integration

STATES = """
import json, sys, logging
from airflow.utils.session import create_session
from orders import dag
said = {}
for day in sys.argv[1:]:
    done = dag.test(run_conf={"day": day})
    said[day] = {"dag": str(done.state), "tasks": {ti.task_id: str(ti.state) for ti in done.get_task_instances()}}
    try:
        from airflow.models.xcom import XComModel
        kept = XComModel.get_many(run_id=done.run_id, key="byhistory_report")
    except ImportError:  # Airflow 2
        continue
    with create_session() as session:
        said[day]["links"] = {x.task_id: XComModel.deserialize_value(x) for x in session.scalars(kept)}
print("SAID" + json.dumps(said))
"""


def states(name: str, heading: str, folder: Path) -> tuple[dict, str]:
    """What became of every task, on a good day and on a bad one; and the log."""
    (folder / "orders.py").write_text(example("airflow.md", heading))
    env = {
        "AIRFLOW_HOME": str(folder / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(folder),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
        "BYHISTORY": str(Path(sys.executable).with_name("byhistory")),
        "PYTHONPATH": str(folder),
    }
    python = host(name)
    migrated = run(python.with_name("airflow"), "db", "migrate", cwd=folder, env=env)
    assert migrated.returncode == 0, migrated.stderr[-3000:]
    done = run(python, "-c", STATES, GOOD, BAD, cwd=folder, env=env)  # a file would be taken for one more DAG
    line = next((line for line in done.stdout.splitlines() if line.startswith("SAID")), "")
    assert line, (done.stdout + done.stderr)[-5000:]
    return json.loads(line.removeprefix("SAID")), done.stdout + done.stderr


def test_airflow_3_goes_on_after_a_good_day_and_stops_at_a_bad_one(tmp_path):
    make_lake(tmp_path, "orders", "orders_downstream")
    said, log = states("airflow", "## Airflow 3", tmp_path)
    assert set(said[GOOD]["tasks"].values()) == {"success"}, log[-5000:]
    assert said[BAD]["tasks"]["write"] == "failed", log[-5000:]
    assert {said[BAD]["tasks"][task] for task in ("check_again", "publish")} == {"upstream_failed"}
    assert "amount" in log
    page = tmp_path / "reports" / f"orders-{BAD}.html"
    assert said[BAD]["links"] == {"write": str(page)}, "the button of a task that was stopped leads to the page"
    assert set(said[GOOD]["links"]) == {"write", "check_again"}
    assert {page.name for page in (tmp_path / "reports").iterdir()} == {
        f"orders-{GOOD}.html",
        f"orders-{BAD}.html",
        f"orders_downstream-{GOOD}.html",
    }


def test_airflow_3_knows_the_provider_its_decorator_and_its_link(tmp_path):
    script = """
from airflow.providers_manager import ProvidersManager
manager = ProvidersManager()
print(sorted(manager.providers["byhistory"].data))
print("byhistory.integrations.airflow.ReportLink" in manager.extra_links_class_names)
from airflow.sdk import task
print(task.byhistory.__name__)
"""
    done = run(host("airflow"), "-c", script, cwd=tmp_path, env={"AIRFLOW_HOME": str(tmp_path)})
    lines = done.stdout.splitlines()[-3:]
    assert lines[1:] == ["True", "check_task"], done.stdout + done.stderr[-3000:]


def test_airflow_2_goes_on_after_a_good_day_and_stops_at_a_bad_one(tmp_path):
    make_lake(tmp_path, "orders")
    said, log = states("airflow2", "## Airflow 2.11", tmp_path)
    assert said[GOOD]["tasks"] == {"check": "success", "publish": "success"}, log[-5000:]
    assert said[BAD]["tasks"] == {"check": "failed", "publish": "upstream_failed"}, log[-5000:]
