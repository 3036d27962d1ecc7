"""The same on a real cluster: a master and two workers, each its own process, whose Python does not have byhistory."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.spark.again import ROOT, run_battery
from tests.spark.conftest import COLUMNS, MASTER, WORKER_PYTHON

from byhistory.spark.java import java_environment

pytestmark = [pytest.mark.spark, pytest.mark.own_process, pytest.mark.slow]

NEEDED = ("numpy", "pyarrow", "pandas", "scipy")
"""What a worker needs: pandas because Spark looks for it before it hands over Arrow, scipy to learn."""


@pytest.fixture(scope="module")
def worker_python() -> Path:
    """A Python with what a worker needs and nothing else, kept in the checkout between runs."""
    wanted = [f"{name}=={importlib.metadata.version(name)}" for name in NEEDED]
    folder = ROOT / f".venv-worker-{hashlib.sha256(' '.join([*wanted, sys.version]).encode()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True, timeout=600)
        (folder / "complete").touch()
    missing = subprocess.run([python, "-I", "-c", "import byhistory"], cwd=folder, capture_output=True, check=False)
    assert missing.returncode != 0, "the workers' Python must not have byhistory"
    return python


@pytest.fixture(scope="module")
def master(tmp_path_factory, worker_python) -> Iterator[str]:
    """The address of a master that two workers have joined."""
    import pyspark

    folder = tmp_path_factory.mktemp("cluster")
    home = Path(pyspark.__file__).parent
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYSPARK_PYTHON", "VIRTUAL_ENV")}
    environment |= java_environment(os.environ) | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",  # reachable from this machine only
        "SPARK_NO_DAEMONIZE": "1",  # so that we can end them by their process
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
    }
    processes: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> Path:
        log = folder / f"{name}.log"
        with log.open("wb") as file:
            command = [str(home / "bin" / "spark-class"), *arguments]
            processes.append(subprocess.Popen(command, env=environment, cwd=folder, stdout=file, stderr=file))
        return log

    try:
        own = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        address = waited(start("master", "org.apache.spark.deploy.master.Master", *own), r"(spark://127\.0\.0\.1:\d+)")
        workers = [
            start(
                f"worker-{i}", "org.apache.spark.deploy.worker.Worker", *own, "--cores", "1", "--memory", "1g", address
            )
            for i in range(2)
        ]
        for log in workers:
            waited(log, r"(Successfully registered with master)")
        yield address
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(60)


def waited(log: Path, pattern: str) -> str:
    """What a process has written of itself, as soon as it has."""
    for _ in range(240):
        found = re.search(pattern, log.read_text(errors="replace"))
        if found:
            return found[1]
        time.sleep(0.5)
    raise AssertionError(f"{pattern} is not in {log.read_text(errors='replace')[-3000:]}")


def test_the_battery_passes_on_a_cluster_whose_workers_have_no_byhistory(master, worker_python):
    assert " passed" in run_battery(**{MASTER: master, WORKER_PYTHON: str(worker_python)})


@pytest.mark.integration
def test_ten_thousand_columns_are_learned_by_workers_that_have_no_byhistory(master, worker_python):
    told = {MASTER: master, WORKER_PYTHON: str(worker_python), COLUMNS: "10000"}
    assert "1 passed" in run_battery("-k", "columns_are_learned", **told)
