"""The battery once more, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_battery(*options: str, **environment: str) -> str:
    """Run the battery with these variables set; its report if all passed, an error with the report otherwise."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/spark/test_battery.py", *options]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout
