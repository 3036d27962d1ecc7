"""The quick slice of the benchmark runs in minutes, and byhistory beats the median rival on it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the checkout; give one to make bench-quick CORPUS=…")
def test_on_the_slice_we_beat_the_median_rival(tmp_path):
    command = [sys.executable, "-m", "bench.run", "--quick", "--corpus", str(CORPUS), "--cache", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert (tmp_path / "quick" / "results" / "summary.json").is_file()
