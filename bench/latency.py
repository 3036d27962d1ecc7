"""How long does it take to judge a new run? Against its rows, split as the paper splits it.

    python -m bench.latency [--rows 1000 10000 …] [--spark]

One column, as in the paper (1.6 s at 100 K rows): metrics of one run are the profile of the rows and what is computed
from it; metrics of two runs are distances to the run before, from the two profiles; the program is learned from 30 runs
and then asked. A table of 40 columns is timed as a whole; with --spark also through Spark, without starting it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from bench.tables import mixed, write

from byhistory.learners import learn
from byhistory.metrics import PAIR, SINGLE, measure
from byhistory.profile import TableProfile
from byhistory.rows.local import profile_table
from byhistory.verdict import Past, check

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "latency.jsonl"
ROWS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""Rows of the run to judge: the paper's figure ends at 100,000."""
RUNS, SEED = 30, 7
"""Runs of history, as everywhere in the evaluation; and of the made rows."""
PAST_ROWS = 100_000
"""At most this many rows in the runs that a program is learned from: it sees their profiles, which grow no further."""
WIDE_ROWS = 1_000_000
"""At most this many rows of the wide table are made in memory."""
PATIENCE = 20.0
"""Seconds after which a measurement is not repeated."""


def numeric(rows: int, seed: int) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table({"price": pa.array(np.round(random.lognormal(3, 1, rows), 2), mask=random.random(rows) < 0.02)})


def categorical(rows: int, seed: int) -> pa.Table:
    random = np.random.default_rng(seed)
    codes = pa.array(np.minimum(random.zipf(1.4, rows), 5_000).astype(np.int32))
    names = pa.array([f"Brand {i} & Sons" for i in range(5_001)])
    return pa.table({"brand": pa.DictionaryArray.from_arrays(codes, names).cast(pa.string())})


def seconds(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """The median of some rounds, as a clock on the wall has it; fewer if one takes long."""
    took, result = [], None
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        took.append(time.perf_counter() - start)
        if sum(took) > PATIENCE:
            break
    return statistics.median(took), result


def one_column(make: Callable[[int, int], pa.Table], rows: int, rounds: int) -> dict[str, float]:
    """The parts of judging one new run of a column."""
    past = [profile_table(make(min(rows, PAST_ROWS), SEED + i), run=f"{i:02}") for i in range(RUNS)]
    batch = make(rows, SEED + RUNS)
    profiling, now = seconds(lambda: profile_table(batch, run="99"), rounds)
    name = next(iter(now))
    before = past[-1][name]
    single, _ = seconds(lambda: measure([now[name]], SINGLE), 5 * rounds)
    pair, _ = seconds(lambda: measure([before, now[name]], PAIR), 5 * rounds)
    learning, programs = seconds(lambda: learn(past), rounds)
    checking, _ = seconds(lambda: check(now, programs, Past.of(past)), 5 * rounds)
    return {"rows": rows, "single": profiling + single, "pair": pair, "program": learning + checking}


def wide(rows: int, rounds: int) -> dict[str, float]:
    """40 columns: profile, and the rest."""
    past = [profile_table(mixed(min(rows, 2_000), SEED + i), run=f"{i:02}") for i in range(RUNS)]
    batch = mixed(rows, SEED + RUNS)
    profiling, now = seconds(lambda: profile_table(batch, run="99"), rounds)
    learning, checking = _programs(past, now, rounds)
    return {"rows": rows, "columns": len(now), "profile": profiling, "learn": learning, "check": checking}


def _programs(past: Sequence[TableProfile], now: TableProfile, rounds: int) -> tuple[float, float]:
    learning, programs = seconds(lambda: learn(past), rounds)
    checking, _ = seconds(lambda: check(now, programs, Past.of(past)), rounds)
    return learning, checking


def through_spark(sizes: Sequence[int], rounds: int) -> list[dict[str, float]]:
    """The profile of 40 columns by a local Spark with all cores."""
    from byhistory.spark.profiler import profile
    from byhistory.spark.session import open_session

    spark = open_session("byhistory latency", master="local[*]")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            path = str(write(Path(folder) / str(rows), rows))
            profile(spark.read.parquet(path))  # the first time Spark compiles
            took, _ = seconds(lambda path=path: profile(spark.read.parquet(path)), rounds)
            found.append({"rows": rows, "profile": took})
            print(f"{rows:>12,} rows, 40 columns through Spark: {took:.2f} s")
    spark.stop()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT).stdout.strip() or "none"
    line: dict[str, Any] = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "commit": commit}
    line |= {"python": platform.python_version(), "numpy": np.__version__, "pyarrow": pa.__version__}
    line |= {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 2), "seed": SEED}
    for kind, make in (("numeric", numeric), ("categorical", categorical)):
        line[kind] = []
        for rows in asked.rows:
            parts = one_column(make, rows, asked.rounds)
            line[kind].append(parts)
            split = ", ".join(f"{name} {1000 * parts[name]:,.1f} ms" for name in ("single", "pair", "program"))
            print(f"{rows:>12,} rows, one {kind} column: {split}")
    line["wide"] = []
    for rows in (r for r in asked.rows if r <= WIDE_ROWS):
        line["wide"].append(wide(rows, asked.rounds))
        print(f"{rows:>12,} rows, 40 columns: " + ", ".join(f"{k} {v:.2f}" for k, v in line["wide"][-1].items()))
    if asked.spark:
        line["spark"] = through_spark([r for r in asked.rows if r <= WIDE_ROWS], asked.rounds)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with asked.out.open("a", encoding="utf-8") as results:
        results.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
