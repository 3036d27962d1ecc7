"""How long does a check wait for its history, and how large is it? 1,000 columns × 365 runs by default.

    python -m bench.store                                  # SQLite
    python -m bench.store --url /tmp/history --runs 60     # a directory; or postgresql://…
    python -m bench.store --many                           # many tables, and a table of many runs

Profiles are made from generated tables by `byhistory.rows.local.profile_table` (bench/tables.py), so their sizes are
real ones. The programs have the length of learned ones.
"""

from __future__ import annotations

import argparse
import base64
import json
import platform
import statistics
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from bench.tables import mixed

from byhistory.history import Programs, Run, Store, open_store
from byhistory.profile import to_bytes
from byhistory.rows.local import profile_table

AT = datetime(2026, 1, 1, tzinfo=timezone.utc)
METRICS = 40  # Values of metrics kept of a column and run.
PROGRAM = 6_000  # Characters of a learned program with what the faults do (20 faults × 40 metrics, packed).


def profiles(rows: int, runs: int) -> list[list[bytes]]:
    return [[to_bytes(p) for p in profile_table(mixed(rows, seed)).columns.values()] for seed in range(runs)]


def programs(names: list[str], run: str, random: np.random.Generator) -> Programs:
    body = {n: json.dumps({"byhistory_program": 1, "packed": text(random, PROGRAM)}) for n in names}
    return Programs("orders", run, AT, body)


def text(random: np.random.Generator, size: int) -> str:
    return base64.b64encode(random.bytes(size * 3 // 4)).decode()


def fill(store: Store, columns: int, runs: int, rows: int) -> tuple[int, list[float]]:
    """Bytes of all profiles, and the seconds each record took."""
    random = np.random.default_rng(7)  # A bench may fix its seed.
    made = profiles(rows, 12)
    names = [f"column_{i}" for i in range(columns)]
    given, seconds = 0, []
    for i in range(runs):
        kinds = made[i % len(made)]
        body = {n: kinds[(i + j) % len(kinds)] for j, n in enumerate(names)}
        run = str((AT + timedelta(days=i)).date())
        given += sum(map(len, body.values()))
        learned = programs(names, run, random) if i in (0, runs - 1) else None
        record = Run("orders", run, AT, "as usual", rows, body, random.bytes(columns * METRICS * 8), "{}", "")
        begin = time.perf_counter()
        store.record(record, learned)
        seconds.append(time.perf_counter() - begin)
    return given, seconds


def needed(url: str) -> dict[str, float]:
    """What a check asks for, each part in milliseconds, the store opened anew."""
    clock = [time.perf_counter()]
    with open_store(url) as store:
        clock.append(time.perf_counter())
        runs = [line.run for line in store.runs("orders")]
        clock.append(time.perf_counter())
        learned = store.programs("orders")
        clock.append(time.perf_counter())
        (last,) = store.load("orders", runs[-1:])
        clock.append(time.perf_counter())
        measures = store.measures("orders", runs[-30:])
        clock.append(time.perf_counter())
        store.load("orders", runs, [next(iter(last.columns))])
        clock.append(time.perf_counter())
        assert learned is not None
        assert len(measures) == min(30, len(runs))
    parts = ("open", "runs", "programs", "last run", "measures of 30", "(one column, all runs)")
    return {part: (b - a) * 1e3 for part, a, b in zip(parts, clock, clock[1:], strict=False)}


def small(table: str, run: str) -> Run:
    return Run(table, run, AT, "as usual", 100, {"a": b"x" * 500}, b"m" * 320, "{}", scores='{"table": 0.3}')


def many(folder: str, tables: int, runs: int) -> None:
    """How long a list of many tables and the list of a long table take, beside one read of the whole file."""
    wide, long = f"sqlite:///{folder}/tables.db", f"sqlite:///{folder}/runs.db"
    with open_store(wide) as store:
        for i in range(tables):
            store.record(small(f"table {i}", "2026-01-01"))
    with open_store(long) as store:
        for i in range(runs):
            store.record(small("orders", str((AT + timedelta(hours=i)).isoformat())))
    for url, what, ask in (
        (wide, f"overview of {tables:,} tables", lambda store: store.overview()),
        (long, f"the last 2,500 of {runs:,} runs", lambda store: store.runs("orders", last=2_500)),
        (long, f"measures of 60 of {runs:,} runs", lambda store: store.measures("orders", labels(store))),
        (long, f"a check's share, with {runs:,} runs", share),
        (long, f"all {runs:,} runs", lambda store: store.runs("orders")),
    ):
        path = Path(url.removeprefix("sqlite:///"))
        begin = time.perf_counter()
        path.read_bytes()
        whole = time.perf_counter() - begin
        with open_store(url) as store:
            took, worked = [], []
            for _ in range(7):
                begin, busy = time.perf_counter(), time.process_time()
                ask(store)
                worked.append(time.process_time() - busy)
                took.append(time.perf_counter() - begin)
        best = min(took)
        print(
            f"{what:36} {statistics.median(took) * 1e3:7.1f} ms median, {best * 1e3:7.1f} best of 7 "
            f"({min(worked) * 1e3:.1f} of the processor), "
            f"{best / whole:6.1f} × one read of the file ({path.stat().st_size / 1e6:.0f} MB)",
            flush=True,
        )


def share(store: Store) -> None:
    """What a check asks its store for, but for the profiles: their number is that of the columns."""
    store.settings("orders")
    store.state("orders")
    lines = store.runs("orders", last=2_500)
    store.decisions("orders")
    store.measures("orders", [line.run for line in lines[-60:]])
    store.load("orders", [lines[-1].run])
    store.programs("orders")


def labels(store: Store) -> list[str]:
    return [line.run for line in store.runs("orders", last=60)]


def size(url: str) -> int | None:
    path = Path(url.removeprefix("sqlite:///"))
    files = [path, Path(f"{path}-wal")] if path.is_file() else list(path.rglob("*"))
    return sum(f.stat().st_size for f in files if f.is_file()) if path.exists() else None


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--url")
    ask.add_argument("--columns", type=int, default=1000)
    ask.add_argument("--runs", type=int, default=365)
    ask.add_argument("--rows", type=int, default=100_000, help="of the generated tables that are profiled")
    ask.add_argument("--many", action="store_true", help="10,000 tables and 20,000 runs instead")
    asked = ask.parse_args()
    if asked.many:
        with tempfile.TemporaryDirectory() as folder:
            many(folder, 10_000, 20_000)
        return
    with tempfile.TemporaryDirectory() as folder:
        url = asked.url or f"sqlite:///{folder}/history.db"
        print(f"Python {platform.python_version()}, {platform.machine()}")
        with open_store(url) as store:
            given, seconds = fill(store, asked.columns, asked.runs, asked.rows)
        cells = asked.columns * asked.runs
        print(f"{asked.columns} columns × {asked.runs} runs, profiles of {given / cells / 1024:.2f} KB on average")
        print(f"record: {statistics.median(seconds) * 1e3:.0f} ms median, {max(seconds) * 1e3:.0f} ms at most")
        there = size(url)
        if there is not None:
            print(f"size: {there / 1e6:.0f} MB, {there / cells / 1024:.2f} KB per column and run, all included")
        tries = [needed(url) for _ in range(7)]
        for part in tries[0]:
            print(f"  {part:24} {statistics.median(t[part] for t in tries):7.1f} ms")
        totals = sorted(sum(v for part, v in t.items() if not part.startswith("(")) for t in tries)
        print(f"what a check needs: {statistics.median(totals):.0f} ms median of 7, {totals[-1]:.0f} ms at most")


if __name__ == "__main__":
    main()
