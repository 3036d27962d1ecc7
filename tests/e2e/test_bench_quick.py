"""The quick slice of the benchmark runs in minutes, and byhistory beats the median rival on it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench import run
from scripts.make_corpus import write_corpus

ROOT = Path(__file__).parents[2]
CORPUS = os.environ.get("CORPUS")

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.mark.own_process
@pytest.mark.skipif(not CORPUS, reason="no corpus is named; CORPUS=directory names one")
def test_on_the_slice_of_a_real_corpus_we_beat_the_median_rival(tmp_path):
    command = [sys.executable, "-m", "bench.run", "--quick", "--corpus", str(CORPUS), "--cache", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert (tmp_path / "quick" / "results" / "summary.json").is_file()


def test_the_slice_of_a_made_corpus_is_judged_and_its_exit_code_is_who_is_ahead(tmp_path, capsys):
    corpus = write_corpus(tmp_path / "corpus")
    asked = ["--quick", "--corpus", str(corpus), "--methods", "calibrated,mad", "--cache", str(tmp_path)]
    code = run.main([*asked, "--processes", "1"])
    said = capsys.readouterr().out
    assert code == (1 if "NOT ahead of" in said else 0)
    assert "the median rival" in said
    summary = json.loads((tmp_path / "quick" / "results" / "summary.json").read_text())
    assert {"calibrated", "mad"} <= set(summary["methods"])
