"""A package that is installed beside us adds a metric, a fault, a learner, a store and an output."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "tests" / "plugin"
USE = """
import json
from byhistory import Validator, profile_table
from byhistory.config import parse_config
from byhistory.report import by_name

with Validator("tiny://here", config=parse_config('learner = "tiny"')) as guard:
    for day in range(8):
        guard.judge(profile_table({"n": [float(day), 2.5, 7.0] * 9}, run=f"2026-11-{day + 1:02}"), "t")
    answer = guard.judge(profile_table({"n": [-1e9] * 3}, run="2026-11-09"), "t")
    program = guard.learning.programs("t")["n"]
    print(json.dumps({
        "metric": "tiny_rows_per_value" in answer.programs["n"].responses.metrics,
        "fault": "tiny_negation" in program.responses.faults,
        "learner": program.learner,
        "judged": "tiny_rows_per_value" in program.model.metrics,
        "store": guard.records.where,
        "output": by_name("tiny").write(answer.story()),
        "explained": guard.learning.explain("t"),
    }))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    pytest.importorskip("hatchling", reason="what the plug-in is built with, offline")
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PLUGIN, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    target = folder / "site"
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(folder / "source")]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return target


def run(installed, *arguments, folder):
    paths = [str(installed), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, env=environment)


def test_what_a_package_adds_is_used_like_ours(installed, tmp_path):
    done = run(installed, "-c", USE, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["metric"]
    assert found["fault"]
    assert found["judged"]
    assert found["learner"] == "tiny"
    assert found["store"] == "<store memory:>"
    assert found["output"] == "TINY 2026-11-09 stop"
    assert "surprise of all metrics together" in found["explained"]


def test_the_command_line_knows_what_a_package_adds(installed, tmp_path):
    done = run(
        installed, "-c", "from byhistory.cli import main; main()", "tables", "--store", "tiny://here", folder=tmp_path
    )
    assert (done.returncode, done.stdout) == (0, "0 tables in <store memory:>\n"), done.stderr


def test_without_the_package_there_is_nothing_of_it():
    from byhistory.errors import ByHistoryError
    from byhistory.report import by_name

    with pytest.raises(ByHistoryError, match="no format 'tiny'"):
        by_name("tiny")


def test_a_plugin_that_cannot_be_loaded_is_named(installed, tmp_path):
    (installed / "byhistory_broken.py").write_text("raise RuntimeError('out of order')")
    entries = next(installed.glob("byhistory_tiny-*.dist-info")) / "entry_points.txt"
    kept = entries.read_text()
    entries.write_text(kept.replace("byhistory_tiny:METRIC", "byhistory_broken:METRIC"))
    try:
        done = run(installed, "-c", USE, folder=tmp_path)
    finally:
        entries.write_text(kept)
    assert done.returncode != 0
    assert "load the plug-in 'tiny' of byhistory.metrics. Found: RuntimeError: out of order" in done.stderr
