"""Other people's tools, each in an environment of its own that `make test-integrations` builds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DBT_PROJECT = """
name: shop
version: "1.0"
profile: shop
flags: {send_anonymous_usage_stats: false}
models: {shop: {+materialized: table}}
"""
DBT_PROFILE = "shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb}}}"


def host(name: str) -> Path:
    """The Python of a host's environment; the test is skipped where it was not built."""
    python = ROOT / f".venv-host-{name}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment for {name}: `make test-integrations` builds it")
    return python


def run(
    python: Path, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, timeout: int = 1200
) -> subprocess.CompletedProcess[str]:
    """Run a host's Python with some arguments, in a folder, whatever becomes of it."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV", "PYTEST_ADDOPTS")}
    return subprocess.run(
        [str(python), *arguments],
        cwd=cwd,
        env=environment | (dict(env) if env else {}),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
