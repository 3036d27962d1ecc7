"""Prefect runs the flow of the how-to page: a good day, a bad one, and one that cannot be judged."""

from __future__ import annotations

import json

import pytest
from tests.integrations.hosts import host, run
from tests.integrations.lake import BAD, GOOD, example, make_lake

pytestmark = pytest.mark.integration

NEVER = "2026-10-09"
"""A day that was not written."""
LOCALLY = {
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}
RUN = """
import json, sys
ended = {}
for day in sys.argv[1:]:
    try:
        orders(day)
        ended[day] = "published"
    except Exception as error:
        ended[day] = f"{type(error).__name__}: {error}"
print(json.dumps(ended))
"""


def test_a_good_day_is_published_a_bad_one_not_and_only_what_could_not_be_judged_is_tried_again(tmp_path):
    make_lake(tmp_path, "orders")
    (tmp_path / "byhistory.toml").write_text('[tables.orders]\nengine = "local"\n')
    flow = example("schedulers.md").replace("retry_delay_seconds=60", "retry_delay_seconds=0")
    (tmp_path / "flow.py").write_text(flow + RUN)
    home = LOCALLY | {"PREFECT_HOME": str(tmp_path / "prefect")}
    done = run(host("prefect"), "flow.py", GOOD, BAD, NEVER, cwd=tmp_path, env=home)
    assert done.returncode == 0, done.stderr[-3000:]
    ended = json.loads(done.stdout.splitlines()[-1])
    assert ended[GOOD] == "published"
    assert f"published {GOOD}" in done.stdout
    assert f"published {BAD}" not in done.stdout
    assert ended[BAD] == f"RuntimeError: stop: orders {BAD}, 1 cause in 1 column (amount)"
    assert ended[NEVER].startswith("ByHistoryError: ")
    said = done.stderr.splitlines()
    assert sum("failed with exception" in line and NEVER in line for line in said) == 3, "two more tries"
    assert sum(f"- stop: orders {BAD}" in line for line in said) == 1, "no other try"
