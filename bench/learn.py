"""How long does it take to learn a column from its stored profiles, and how much memory? `make bench-learn`.

One core. Times are CPU time of one pinned process, the median of some rounds: on a shared machine the wall clock
measures the neighbours. The rival, `miautawn-auto-validate-by-history`, gets the same numeric columns as pandas frames,
in an environment of its own (.venv-miautawn), with its default metrics and faults. It keeps nothing between runs and
starts from the raw rows of all 30; we start from stored profiles, each made once when its run came, and the speed-up of
the last line is that of learning, at the same rows a run as the other times. With our profiling of all 30 runs counted
in, and at 100,000 rows (the paper's size), is reported beside.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from bench.tables import mixed, numbers
from pyarrow import feather

from byhistory import Validator
from byhistory.config import Config
from byhistory.learners import learn
from byhistory.profile import TableProfile, from_bytes, to_bytes
from byhistory.profile.stored import StoredColumns
from byhistory.rows.local import profile_table
from byhistory.verdict import Past, check

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "learn.jsonl"
RIVAL = ROOT / ".venv-miautawn"
PINNED = "miautawn-auto-validate-by-history==0.3.0"
RUNS, SEED = 30, 7
"""Runs of history, as everywhere in the evaluation; and of the made rows."""
PAPER_ROWS = 100_000
"""The rows at which the paper gives seconds."""


LEARNER = "paper"
"""The one that is compared with the rival: both implement the same method."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def pin() -> None:
    """One core, the last that we may use, and one thread; numpy reads the latter when it is loaded, so start again."""
    if any(os.environ.get(name) != "1" for name in THREADS):
        env = {**os.environ, **dict.fromkeys(THREADS, "1")}
        os.execve(sys.executable, [sys.executable, "-m", "bench.learn", *sys.argv[1:]], env)  # noqa: S606 - ourselves
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def cpu_seconds(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    took, result = [], None
    for _ in range(rounds):
        start = time.process_time()
        result = work()
        took.append(time.process_time() - start)
    return statistics.median(took), result


def rows_of(run: int, rows: int) -> int:
    """More on weekdays, as tables have."""
    random = np.random.default_rng(SEED + run)
    return int(random.poisson(rows * (1.0 if run % 7 < 5 else 0.8)))


def stored(run: TableProfile) -> TableProfile:
    """As a store gives it back."""
    return TableProfile(run.run, run.rows, {n: from_bytes(to_bytes(run[n])) for n in run}, (), run.sample)


def numeric(run: int, rows: int) -> pa.Table:
    """Every second numeric column, as floats: the rival wants at least two columns of every type."""
    columns = numbers(rows_of(run, rows), np.random.default_rng(SEED + run), run * rows)
    return pa.table({name: columns[name].cast(pa.float64(), safe=False) for name in list(columns)[::2]})


def ours(rows: int, rounds: int) -> dict[str, float]:
    runs = [stored(profile_table(mixed(rows_of(i, rows), SEED + i, i * rows), run=f"{i:02}")) for i in range(RUNS + 1)]
    past, batch = runs[:RUNS], runs[RUNS]
    bare = [TableProfile(r.run, r.rows, r.columns) for r in past]
    columns = len(batch)
    with_faults, programs = cpu_seconds(lambda: learn(past, learner=LEARNER), rounds)
    without, _ = cpu_seconds(lambda: learn(bare, learner=LEARNER), rounds)
    good, verdict = cpu_seconds(lambda: check(batch, programs, Past.of(past)), 10 * rounds)
    broken = TableProfile(batch.run, 0, stored(profile_table(mixed(rows // 10, 99), run=batch.run)).columns)
    bad, found = cpu_seconds(lambda: check(broken, programs, Past.of(past)), rounds)
    clauses = [len(p.clauses) for p in programs.values()]
    print(f"{columns} columns, {RUNS} runs of about {rows:,} rows, sample of {past[-1].sample.num_rows:,}")
    print(f"clauses a column: {statistics.mean(clauses):.1f}; the next run is {verdict.status}")
    print(f"a run with {len(found.findings)} findings: {1000 * bad / columns:.2f} ms a column to check and explain")
    return {
        "columns": columns,
        "learn_ms": 1000 * with_faults / columns,
        "learn_ms_without_faults": 1000 * without / columns,
        "check_ms": 1000 * good / columns,
        "check_bad_ms": 1000 * bad / columns,
    }


def against_rival(rows: int, rounds: int) -> dict[str, Any]:
    tables = [numeric(i, rows) for i in range(RUNS)]
    columns = tables[0].num_columns
    profiling, runs = cpu_seconds(lambda: [profile_table(t, run=f"{i:02}") for i, t in enumerate(tables)], 1)
    runs = [stored(run) for run in runs]
    learning, _ = cpu_seconds(lambda: learn(runs, learner=LEARNER), rounds)
    with tempfile.TemporaryDirectory() as folder:
        for i, table in enumerate(tables):
            feather.write_feather(table, f"{folder}/{i:02}.feather", compression="uncompressed")
        rival = run_rival(folder)
    ms = 1000 * rival["seconds"] / columns
    mine, alone = 1000 * (profiling + learning) / columns, 1000 * learning / columns
    print(f"{columns} numeric columns of {rows:,} rows: theirs {ms:,.0f} ms a column ({rival['version']})")
    print(f"ours {mine:.0f} ms with profiling all {RUNS} runs ({ms / mine:.1f} times as fast), ", end="")
    print(f"{alone:.0f} ms from stored profiles ({ms / alone:.1f} times)")
    return {
        "rows": rows,
        "rival_ms": ms,
        "rival_version": rival["version"],
        "ours_with_profiling_ms": mine,
        "ours_from_profiles_ms": alone,
        "speedup": ms / mine,
        "speedup_from_profiles": ms / alone,
    }


def whole_check(rounds: int, columns: int = 100) -> float:
    """Milliseconds per column of all that is ours in a check (load, learn, judge, record), with 31 runs in memory."""
    with Validator("memory:", config=Config()) as guard:
        how = guard.profiling("wide")
        runs = [
            profile_table(_wide(i, columns), run=f"2026-{1 + i // 28:02}-{1 + i % 28:02}", **how) for i in range(42)
        ]
        guard.remember(runs[:31], "wide")
        took = []
        for run in runs[31 : 31 + max(rounds, 3)]:
            start = time.process_time()
            guard.judge(run, "wide", shadow=True)
            took.append(time.process_time() - start)
    return 1000 * statistics.median(took) / columns


def _wide(run: int, columns: int, rows: int = 2_000) -> pa.Table:
    """The mixed table again and again, with other rows each time."""
    blocks = [mixed(rows, SEED + 100 * run + i) for i in range(-(-columns // 40))]
    named = [(f"{name}{i}", block.column(name)) for i, block in enumerate(blocks) for name in block.column_names]
    return pa.table(dict(named[:columns]))


def run_rival(folder: str) -> dict[str, Any]:
    python = RIVAL / "bin" / "python"
    if not (RIVAL / "ready.stamp").exists():
        venv.create(RIVAL, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PINNED, "pyarrow"], check=True)
        (RIVAL / "ready.stamp").touch()
    command = [str(python), str(ROOT / "bench" / "rival_miautawn.py"), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def memory() -> dict[str, float]:
    """In a process of its own each, so that nothing freed before is used again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profiles.pickle"
        runs = [profile_table(mixed(rows_of(i, 20_000), SEED + i, i * 20_000)) for i in range(3)]
        path.write_bytes(pickle.dumps([to_bytes(r[n]) for r in runs for n in r]))
        answer: dict[str, Any] = {}
        for form in ("stored", "decoded"):
            command = [sys.executable, "-m", "bench.learn", "--hold", form, str(path)]
            answer |= json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)
    return answer


def hold(form: str, path: Path) -> None:
    """1,000 columns over 60 runs in memory, and a program learned for some of them: what does it take?"""
    packed = pickle.loads(path.read_bytes())  # noqa: S301 - our own bytes
    first = [TableProfile(f"{i:02}", 0, StoredColumns({"c": packed[0]})) for i in range(8)]
    learn(first, learner=LEARNER)  # load all code
    before = resident()
    columns, runs = 1_000, []
    for run in range(60):
        own = {f"c{i:04}": bytes(bytearray(packed[(i * 3 + run % 3) % len(packed)])) for i in range(columns)}
        kept = StoredColumns(own) if form == "stored" else {name: from_bytes(data) for name, data in own.items()}
        runs.append(TableProfile(f"{run:02}", 0, kept))
    some = [TableProfile(r.run, r.rows, {n: r.columns[n] for n in list(r)[:40]}) for r in runs]
    learn(some, learner=LEARNER)
    took = resident() - before
    print(json.dumps({f"bytes_a_profile_{form}": took / (60 * columns), f"gib_10k_by_60_{form}": took * 10 / 2**30}))


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.strip() or "none"


def machine() -> dict[str, Any]:
    info = Path("/proc/cpuinfo")
    models = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
    return {"cpu": models[0] if models else platform.processor(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hold", nargs=2, metavar=("FORM", "FILE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.hold:
        hold(asked.hold[0], Path(asked.hold[1]))
        return
    pin()
    line: dict[str, Any] = {"commit": commit(), "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    line |= {"python": platform.python_version(), "numpy": np.__version__, "pyarrow": pa.__version__, **machine()}
    line |= {"rows": asked.rows, **ours(asked.rows, asked.rounds)}
    line |= {"check_ms_per_column": whole_check(asked.rounds), "check_s_1000_columns": whole_check(3, 1_000)}
    line["against_miautawn"] = [against_rival(rows, asked.rounds) for rows in (asked.rows, PAPER_ROWS)]
    line["speedup_vs_miautawn"] = line["against_miautawn"][0]["speedup_from_profiles"]
    line |= (held := memory())
    print("10,000 columns x 60 runs, from 1,000 x 60 held: ", end="")
    print(f"{held['gib_10k_by_60_stored']:.1f} GiB as stored bytes, ", end="")
    print(f"{held['gib_10k_by_60_decoded']:.1f} GiB all decoded at once")
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a", encoding="utf-8") as results:
        results.write(json.dumps(line) + "\n")
    print(
        f"learn_ms={line['learn_ms']:.1f} learn_ms_without_faults={line['learn_ms_without_faults']:.1f} "
        f"check_ms={line['check_ms']:.2f} check_ms_per_column={line['check_ms_per_column']:.2f} "
        f"check_s_1000_columns={line['check_s_1000_columns']:.2f} "
        f"speedup_vs_miautawn={line['speedup_vs_miautawn']:.1f}"
    )


if __name__ == "__main__":
    main()
