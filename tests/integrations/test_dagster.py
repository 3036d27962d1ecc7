"""The example of the Dagster page, run by Dagster."""

from __future__ import annotations

import json

import pytest
from tests.integrations.hosts import host, run
from tests.integrations.lake import BAD, GOOD, example, make_lake

pytestmark = pytest.mark.integration

MATERIALIZE = """
import json, sys
import dagster as dg
from definitions import defs
said = {}
with dg.instance_for_test() as instance:
    job = defs.resolve_implicit_global_asset_job_def()
    for day in sys.argv[1:]:
        done = job.execute_in_process(partition_key=day, instance=instance, raise_on_error=False)
        (check,) = done.get_asset_check_evaluations()
        said[day] = {
            "ok": done.success,
            "made": sorted(e.asset_key.path[-1] for e in done.get_asset_materialization_events()),
            "passed": check.passed,
            "severity": check.severity.value,
            "metadata": {name: str(value.value) for name, value in check.metadata.items()},
        }
print("SAID" + json.dumps(said))
"""


def test_a_blocking_check_lets_a_good_partition_through_and_holds_a_bad_one_up(tmp_path):
    make_lake(tmp_path, "orders")
    (tmp_path / "definitions.py").write_text(example("dagster.md"))
    (tmp_path / "materialize.py").write_text(MATERIALIZE)
    env = {"DAGSTER_HOME": "", "PYTHONPATH": str(tmp_path)}
    done = run(host("dagster"), "materialize.py", GOOD, BAD, cwd=tmp_path, env=env)
    line = next((line for line in done.stdout.splitlines() if line.startswith("SAID")), "")
    assert line, (done.stdout + done.stderr)[-5000:]
    said = json.loads(line.removeprefix("SAID"))
    assert (said[GOOD]["ok"], said[GOOD]["made"]) == (True, ["orders", "published"])
    assert (said[GOOD]["passed"], said[GOOD]["metadata"]["status"]) == (True, "as usual")
    assert (said[BAD]["ok"], said[BAD]["made"]) == (False, ["orders"])
    assert (said[BAD]["passed"], said[BAD]["severity"]) == (False, "ERROR")
    assert "amount" in said[BAD]["metadata"]["cause 1"]
    assert said[BAD]["metadata"]["report"].endswith(f"orders-{BAD}.html")


def test_a_warning_fails_the_check_and_blocks_nothing(tmp_path):
    script = """
import json
from byhistory.integrations.command import Checked
from byhistory.integrations.dagster import _result
results = [_result(Checked("t", "1", "warn", "warn", is_stopped, "warn: t 1", {"shadow": shadow}))
           for is_stopped, shadow in ((False, False), (True, False), (False, True))]
print(json.dumps([[r.passed, r.severity.value] for r in results]))
"""
    done = run(host("dagster"), "-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    # Warned; warned with --fail-on warn; warned in shadow mode.
    assert json.loads(done.stdout) == [[False, "WARN"], [False, "ERROR"], [True, "ERROR"]]
