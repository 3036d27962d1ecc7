"""How long does `byhistory check` take, and where does the time go? `python -m bench.check`.

One run of 100,000 rows × 40 columns (Parquet) against 30 runs of history, as a user meets it: a command in a process of
its own, with its own JVM, and with `--engine local` without one. Then the same in a session that runs already:
`guard.check` against the profile alone.

The program is compiled as pip leaves it, whatever PYTHONDONTWRITEBYTECODE says of the checkout. The clock measures the
neighbours of a shared machine, so every step is given with the CPU time of the Python process beside it. "all but JVM
start and scan" is load history + learn + judge + store + show. What --timing tells ends when it is told: then Python
and Java still have to end.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
from bench.tables import mixed

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "check.jsonl"
OURS = ("load history", "learn", "judge", "store", "show")
RUNS, SEED = 30, 7
"""Runs of history, as everywhere in the evaluation; and of the made rows."""
AS_INSTALLED = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"NO_COLOR": "1"}
"""The environment of somebody who installed the program."""


def write(folder: Path, rows: int, checks: int) -> list[Path]:
    """The history and the runs to check."""
    paths = []
    for i in range(RUNS + checks):
        path = folder / ("history" if i < RUNS else "new") / f"ds=2026-{1 + i // 28:02d}-{1 + i % 28:02d}"
        path.mkdir(parents=True)
        pq.write_table(mixed(rows, SEED + i), path / "part-0.parquet")
        paths.append(path)
    return paths[RUNS:]


def command(compiled: Path, *args: object) -> tuple[float, str]:
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", "from byhistory.cli import main; main()", *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        env=AS_INSTALLED | {"PYTHONPYCACHEPREFIX": str(compiled)},
    )
    if done.returncode == 2:
        raise SystemExit(done.stderr)
    return time.perf_counter() - begin, done.stderr


def steps(stderr: str) -> dict[str, tuple[float, float]]:
    line = next(line for line in stderr.splitlines() if line.startswith("timing: "))
    found = re.findall(r"([\w ]+?) (\d+\.\d+) s \((\d+\.\d+) s of CPU\)", line.removeprefix("timing: "))
    return {name.strip(): (float(clock), float(cpu)) for name, clock, cpu in found}


def medians(seen: list[dict[str, tuple[float, float]]]) -> dict[str, tuple[float, ...]]:
    """Of every step, on the clock and of CPU."""
    names = dict.fromkeys(step for s in seen for step in s)
    return {n: tuple(statistics.median(s.get(n, (0.0, 0.0))[i] for s in seen) for i in (0, 1)) for n in names}


def _without(seen: list[dict[str, tuple[float, float]]], whole: str, part: str) -> tuple[float, ...]:
    """The medians of a step less another within it, on the clock and of CPU."""
    return tuple(statistics.median(s[whole][i] - s[part][i] for s in seen) for i in (0, 1))


def warm(new: Path, store: str, rounds: int) -> dict[str, float]:
    """In a running session: the whole check against its profile alone."""
    from byhistory import Validator
    from byhistory.config import Config
    from byhistory.spark import profile as profile_run
    from byhistory.spark.session import local_session

    spark = local_session("bench")
    df = spark.read.parquet(str(new))
    with Validator(store, config=Config()) as guard:
        alone, whole = [], []
        for i in range(rounds + 1):
            begin = time.perf_counter()
            profile_run(df, run="x", **guard.profiling("mixed"))
            middle = time.perf_counter()
            guard.check(df, "mixed", f"2026-03-{i + 1:02d}")
            if i:  # the first warms Spark up
                alone.append(middle - begin)
                whole.append(time.perf_counter() - middle)
    spark.stop()
    return {"profile": statistics.median(alone), "check": statistics.median(whole)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=100_000)
    options.add_argument("--checks", type=int, default=3)
    options.add_argument("--no-warm", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="byhistory-bench-") as name:
        folder = Path(name)
        new = write(folder, asked.rows, asked.checks)
        store = f"sqlite:///{folder}/history.db"
        run = partial(command, folder / "compiled")
        took, _ = run("backfill", "mixed", folder / "history", "--run-column", "ds", "--store", store)
        print(f"backfill of {RUNS} runs × {asked.rows:,} rows × 40 columns: {took:.1f} s")
        run("check", "mixed", new[0], "--store", store, "--shadow")  # which compiles what it needs
        seen = []
        for path in new:
            took, stderr = run("check", "mixed", path, "--store", store, "--timing", "--shadow")
            seen.append(steps(stderr) | {"the whole command": (took, 0.0)})
        here = []
        for path in new:
            took, stderr = run("check", "mixed", path, "--store", store, "--timing", "--shadow", "--engine", "local")
            here.append(steps(stderr) | {"the whole command": (took, 0.0)})
        size = (folder / "history.db").stat().st_size
        middle, local = medians(seen), medians(here)
        ours = [tuple(sum(s.get(n, (0.0, 0.0))[i] for n in OURS) for i in (0, 1)) for s in seen]
        middle["all but JVM start and scan"] = tuple(statistics.median(o[i] for o in ours) for i in (0, 1))
        for step in ("in all", "the whole command"):
            middle[f"{step}, but the JVM's start"] = _without(seen, step, "JVM start")
        for step, (clock, cpu) in middle.items():
            print(f"  {step:<28} {clock:7.2f} s on the clock {cpu:7.2f} s of CPU")
        print("  with --engine local:")
        for step, (clock, cpu) in local.items():
            print(f"  {step:<28} {clock:7.2f} s on the clock {cpu:7.2f} s of CPU")
        running = {} if asked.no_warm else warm(new[-1], store, asked.checks)
        if running:
            ratio = running["check"] / running["profile"]
            print(
                f"  warm: profile {running['profile']:.2f} s, guard.check {running['check']:.2f} s: {ratio:.2f} times"
            )
        kept = {
            "commit": _commit(),
            "at": f"{dt.datetime.now(dt.timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "rows": asked.rows,
            "columns": 40,
            "runs": RUNS,
            "store_bytes_per_column_run": size / (RUNS + asked.checks) / 40,
            "seconds": middle,
            "seconds_local": local,
            "warm": running,
        }
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(kept) + "\n")


def _commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


if __name__ == "__main__":
    main()
