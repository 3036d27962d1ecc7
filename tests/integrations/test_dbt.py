"""dbt builds a model, and what it built is judged."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.integrations.hosts import DBT_PROFILE, DBT_PROJECT, ROOT, host, run
from tests.integrations.lake import BAD, GOOD, make_lake

pytestmark = pytest.mark.integration

OURS = {"PYTHONPATH": str(ROOT / "src")}
SESSION = """
shop:
  target: dev
  outputs:
    dev:
      {{type: spark, method: session, schema: shop, host: none, server_side_parameters: {{
        "spark.sql.catalogImplementation": hive,
        "spark.sql.warehouse.dir": "{folder}/warehouse", "spark.ui.enabled": "false"}}}}
"""
PROPERTIES = """
version: 2
models:
  - {name: orders, config: {meta: {byhistory: {run_column: ds}}}}
  - {name: failing, config: {meta: {byhistory: true}}}
  - {name: unguarded}
"""


@pytest.fixture
def project(tmp_path) -> Path:
    make_lake(tmp_path, "orders")
    models = tmp_path / "models"
    models.mkdir()
    (tmp_path / "dbt_project.yml").write_text(DBT_PROJECT)
    (tmp_path / "profiles.yml").write_text(DBT_PROFILE)
    (models / "properties.yml").write_text(PROPERTIES)
    lake = tmp_path / "lake" / "orders"
    (models / "orders.sql").write_text(
        f"select * replace (cast(ds as varchar) as ds) from read_parquet('{lake}/*/*.parquet', hive_partitioning=true)"  # noqa: S608
    )
    (models / "failing.sql").write_text("select 1 / no_such_column as n")
    (models / "unguarded.sql").write_text("select 1 as n")
    return tmp_path


def test_the_models_that_ran_and_ask_for_it_are_judged(project):
    built = run(host("dbt").with_name("dbt"), "build", "--profiles-dir", ".", cwd=project)
    assert built.returncode == 1, built.stdout  # one of the models is wrong
    ours = ["-m", "byhistory.integrations.dbt", "--duckdb", "shop.duckdb"]
    good = run(Path(sys.executable), *ours, "--run", GOOD, cwd=project, env=OURS)
    assert good.returncode == 0, good.stdout + good.stderr
    assert good.stdout.splitlines()[-1] == "as usual: 1 model of dbt judged"
    bad = run(Path(sys.executable), *ours, "--run", BAD, cwd=project, env=OURS)
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "amount" in bad.stdout
    assert bad.stdout.splitlines()[-1] == "stop: 1 model of dbt judged, 1 stop"


def test_a_model_of_dbt_spark_is_judged_in_the_session_of_the_same_metastore(project):
    (project / "dbt_project.yml").write_text(DBT_PROJECT.replace("table}", "table, +file_format: parquet}"))
    (project / "profiles.yml").write_text(SESSION.format(folder=project))
    rows = f"parquet.`{project / 'lake' / 'orders'}`"
    (project / "models" / "orders.sql").write_text(f"select country, amount, cast(ds as string) as ds from {rows}")  # noqa: S608
    python = host("dbtspark")
    built = run(python.with_name("dbt"), "build", "--profiles-dir", ".", "--exclude", "failing", cwd=project)
    assert built.returncode == 0, built.stdout[-3000:]
    ours = (python.with_name("byhistory-dbt"), "--conf", "spark.sql.catalogImplementation=hive", "--run")
    good, bad = (run(*ours, day, cwd=project) for day in (GOOD, BAD))
    assert (good.returncode, bad.returncode) == (0, 1), good.stdout + good.stderr[-2000:] + bad.stderr[-2000:]
    assert good.stdout.splitlines()[-1] == "as usual: 1 model of dbt judged"
    assert bad.stdout.splitlines()[-1] == "stop: 1 model of dbt judged, 1 stop"


def test_without_artifacts_it_says_what_to_do(tmp_path):
    done = run(Path(sys.executable), "-m", "byhistory.integrations.dbt", "--run", "1", cwd=tmp_path, env=OURS)
    assert done.returncode == 2
    assert "run `dbt build` first" in done.stderr
