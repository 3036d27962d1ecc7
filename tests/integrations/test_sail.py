"""The battery on a Spark Connect server that is not Apache's: no JVM, no RDD, no `persist`."""

from __future__ import annotations

import pytest
from tests.integrations.hosts import ROOT, host, run

pytestmark = pytest.mark.integration

BROKEN_TEXT = "tests/spark/test_battery.py::test_broken_text_as_spark_delivers_it"
"""Text that is no UTF-8 cannot be there: this server refuses to make it, where Spark hands it over as it is."""
READ_DIRECTLY = "tests/spark/test_battery.py::test_files_are_read_where_they_are_profiled"
"""It lists files by names that are no addresses (`tmp/x.parquet`): rows come through its reader."""
SERVED = """
import os, subprocess, sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer()
server.start(background=True)
os.environ["BYHISTORY_TEST_REMOTE"] = f"sc://localhost:{server.listening_address[1]}"
sys.exit(subprocess.call([sys.executable, "-m", "pytest", *sys.argv[1:]]))
"""


def test_the_battery_passes_on_a_server_that_is_not_spark():
    options = (
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "default",
        "tests/spark/test_battery.py",
        "--deselect",
        BROKEN_TEXT,
        "--deselect",
        READ_DIRECTLY,
    )
    done = run(host("sail"), "-c", SERVED, *options, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, timeout=900)
    assert done.returncode == 0, done.stdout[-8000:]
    assert "2 deselected" in done.stdout
