"""What does a fleet cost beside its data? 10,000 tables × 20 columns × 60 runs in one store. `make bench-fleet`.

    python -m bench.fleet                                 # SQLite
    python -m bench.fleet --kind postgres --tables 100    # or s3, directory; servers are started on loopback
    python -m bench.fleet --keep big --fill-only          # SQLite in a folder that stays; goes on where it was
    python -m bench.fleet --keep big                      # checks tables of it that were not checked yet
    python -m bench.fleet --keep big --rows 200           # runs of fewer rows: 1.2 MB a table, not 3.3
    python -m bench.fleet --spread                        # learning on one worker and on two

What is timed is all of a check but profiling: loading the history, judging, learning for the next run, recording.
All tables have the same past, and programs that were learned from it once, so that filling a store takes minutes and
not hours; every table has its own records, checksums and programs.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from sqlalchemy import insert, select

from byhistory.cli import RARELY
from byhistory.cli._options import AT_ONCE
from byhistory.cli._processes import Processes
from byhistory.cli._timing import Stopwatch
from byhistory.config import Config
from byhistory.history import Programs, open_store, row
from byhistory.history.checksum import combined
from byhistory.history.schema import BODIES, PROFILES, TABLES
from byhistory.history.schema import RUNS as RUN_ROWS
from byhistory.history.sql import SqlStore
from byhistory.profile import TableProfile
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "fleet.jsonl"
_TICKS = os.sysconf("SC_CLK_TCK")
RUNS, ROWS, SEED = 60, 2_000, 7
"""Runs of a table, as many as a check looks back at; rows of a run (by choice: they fill a profile); of made rows."""
RECORDED = 20
"""Tables of a database whose runs are recorded one by one, which is timed; the others are copies of the first."""
COPIED = 50
"""Tables that are copied in one transaction."""
SPARE = 12e9
"""Bytes of the disk that filling a store leaves to others (a choice)."""
AT = datetime(2026, 1, 1, tzinfo=timezone.utc)


def rows(day: int, count: int) -> pa.Table:
    """20 columns: measures, counts, codes."""
    random = np.random.default_rng(SEED + day)
    numbers = {f"n{i}": random.normal(100 + i, 10, count) for i in range(10)}
    counts = {f"k{i}": random.integers(0, 50, count) for i in range(4)}
    codes = {f"s{i}": pa.array([f"v{x}" for x in random.integers(0, 40, count)]) for i in range(6)}
    return pa.table(numbers | counts | codes)


def profiles(days: int, key: bytes, count: int = ROWS) -> list[TableProfile]:
    return [profile_table(rows(i, count), run=label(i), options=Options(key)) for i in range(days)]


def label(day: int) -> str:
    return str(date(2026, 1, 1) + timedelta(days=day))


@contextmanager
def store_of(kind: str) -> Iterator[str]:
    """The address of an empty store of a kind."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if kind == "postgres":
            from tests.e2e.postgres import running

            yield stack.enter_context(running(Path(folder)))
        elif kind == "s3":
            from tests.integrations.seaweed import address, serving

            yield address(stack.enter_context(serving(Path(folder), "fleet")), "fleet/history")
        else:
            yield f"sqlite:///{folder}/fleet.db" if kind == "sqlite" else f"{folder}/fleet"


def fill(url: str, tables: int, count: int) -> float:
    """Seconds to record a table.

    Every table with the same 60 runs, under ids that are equal in all, and with the programs learned from them.
    """
    with open_store(url) as store, Validator("memory:", config=Config()) as model:
        past = profiles(RUNS, store.key(), count)
        model.remember(past, "model")
        runs = [replace(run, id=f"{i:032x}") for i, run in enumerate(model.store.load("model", [p.run for p in past]))]
        for run in runs:
            model.store.record(run)
        model.learning.relearn(
            "model"
        )  # from the records under these ids: programs of other records would be learned again
        learned = model.store.programs("model")
        assert learned is not None
        names = [name_of(number) for number in range(tables)]
        recorded = names[:RECORDED] if isinstance(store, SqlStore) else names
        begin = time.perf_counter()
        for name in recorded:
            for run in runs:
                store.record(replace(run, table=name))
            store.save_programs(Programs(name, learned.as_of_run, AT, learned.by_column, learned.learned_from))
        took = time.perf_counter() - begin
        if isinstance(store, SqlStore):
            copy_all(store, names[0], names[RECORDED:])
        return took / len(recorded)


def name_of(number: int) -> str:
    return f"fleet.t{number:05}"


def fill_more(url: str, tables: int, count: int, until: float) -> int:
    """Tables that a store has after it was filled up to this many, or until a time; it goes on where it was."""
    with open_store(url) as store:
        there = set(store.tables())
        is_begun = len(there) >= RECORDED
    if not is_begun:
        fill(url, min(RECORDED, tables), count)
        there = set(map(name_of, range(min(RECORDED, tables))))
    with open_store(url) as store:
        assert isinstance(store, SqlStore)
        missing = [name for name in map(name_of, range(tables)) if name not in there]
        return len(there) + copy_all(store, name_of(0), missing, until)


def copy_all(store: SqlStore, first: str, names: Sequence[str], until: float = math.inf) -> int:
    """How many of these were copied from the first table: all, unless the time is over or the disk is nearly full."""
    for start in range(0, len(names), COPIED):
        if time.time() > until or shutil.disk_usage(tempfile.gettempdir()).free < SPARE:
            return start
        copy_tables(store, first, names[start : start + COPIED])
    return len(names)


def copy_tables(store: SqlStore, first: str, names: Sequence[str]) -> None:
    """The first table under other names, as if each run had been recorded: all rows, checksums and programs."""
    key, learned = store.key(), store.programs(first)
    assert learned is not None
    fields = [RUN_ROWS.c[name] for name in row.RUN_FIELDS]
    old, new = RUN_ROWS.alias("old"), RUN_ROWS.alias("new")
    with store._database.writing("fill a store") as db:
        head = store._head(db, first)
        there = [tuple(r) for r in db.execute(select(*fields).where(RUN_ROWS.c.table_name == first))]
        for name in names:
            runs = [
                {"table_name": name, "checksum": row.run_checksum(key, name, values)}
                | dict(zip(row.RUN_FIELDS, values, strict=True))
                for values in there
            ]
            db.execute(insert(RUN_ROWS), runs)
            sums = combined([run["checksum"] for run in runs])
            db.execute(
                insert(TABLES), {"table_name": name, **row.head_values(key, name, replace(head, runs_checksum=sums))}
            )
            store._put_programs(db, replace(learned, table=name))
        same = (new.c.run == old.c.run) & (old.c.table_name == first) & new.c.table_name.in_(names)
        for part in (BODIES, PROFILES):
            others = [c for c in part.c if c.name not in ("run_id", "id")]
            rows = select(new.c.id, *others).select_from(old.join(new, same).join(part, part.c.run_id == old.c.id))
            db.execute(insert(part).from_select(["run_id", *(c.name for c in others)], rows))


def check(url: str, tables: Sequence[str], sample: int, count: int) -> dict[str, float]:
    """Milliseconds of ours per table, on the clock and of CPU, of tables all over the store; by step on the clock."""
    watch, took, cpu = Stopwatch(), [], []
    with Validator(url, config=Config(), step=watch) as guard:
        batch = next_batch(guard.store.key(), count)
        guard.judge(batch, tables[-1])  # so that the code is loaded
        watch.seconds.clear()
        for name in some_of(tables, sample, 0):
            clock, used = time.perf_counter(), time.process_time()
            guard.judge(batch, name)
            took.append(time.perf_counter() - clock)
            cpu.append(time.process_time() - used)
    steps = {f"{step}_ms": 1000 * clock / len(took) for step, (clock, _) in watch.seconds.items()}
    about = {"checked": len(took), "ms": 1000 * statistics.mean(took), "cpu_ms": 1000 * statistics.mean(cpu)}
    return about | steps


def checked(url: str, sample: int, at_once: int) -> dict[str, float]:
    """What a check costs, alone and side by side, in tables that were not checked yet."""
    tables = unchecked(url)
    with open_store(url) as store:
        count = store.runs(name_of(0))[0].rows
    return check(url, tables, sample, count) | side_by_side(url, tables, sample, at_once, count)


def some_of(tables: Sequence[str], sample: int, third: int) -> list[str]:
    """Tables all over the store; the last one is for a check that loads the code."""
    names = tables[:-1][third::3]
    return list(names[:: max(1, len(names) // sample)])[:sample]


def unchecked(url: str) -> list[str]:
    """The tables of a store but the first, from which others are copied, that have their first runs only.

    A run that is judged again is another matter: what was learned with it is not used.
    """
    with open_store(url) as store:
        return [line.table for line in store.overview() if line.runs == RUNS and line.table != name_of(0)]


def side_by_side(url: str, tables: Sequence[str], sample: int, at_once: int, count: int) -> dict[str, float]:
    """Milliseconds between two tables that are done, where `check --all` judges this many at once; by threads and not.

    What other processes take to start is given by itself: it is the same for ten tables and for ten thousand.
    """
    first, others = some_of(tables, sample, 1), some_of(tables, sample, 2)
    found: dict[str, float] = {"at_once": at_once}
    config = Config(store=url)
    with Validator(config=config) as guard, ThreadPoolExecutor(at_once) as threads:
        work = partial(judged, count)
        judge = partial(work, guard, Stopwatch())
        judge(tables[-1])
        begin, used = time.perf_counter(), cpu_of_all()
        list(threads.map(judge, first))
        found |= {"threads_ms": 1000 * (time.perf_counter() - begin) / len(first)}
        found |= {"threads_cpu_ms": 1000 * (cpu_of_all() - used) / len(first)}
        begin = time.perf_counter()
        with Processes(config, at_once, Stopwatch()) as processes:
            started: set[int] = set()
            while len(started) < at_once:
                started |= set(threads.map(partial(processes.run, work), first[:at_once]))
            found |= {"start_s": time.perf_counter() - begin}
            begin, used = time.perf_counter(), cpu_of_all()
            list(threads.map(partial(processes.run, work), others))
            found |= {"processes_ms": 1000 * (time.perf_counter() - begin) / len(others)}
            found |= {"processes_cpu_ms": 1000 * (cpu_of_all() - used) / len(others)}
    return found


def judged(count: int, guard: Validator, watch: Stopwatch, table: str, *, spark: object = None) -> int:
    del watch, spark  # a `Work` is given them
    guard.judge(next_batch(guard.store.key(), count), table)
    return os.getpid()


@lru_cache
def next_batch(key: bytes, count: int) -> TableProfile:
    return profile_table(rows(RUNS, count), run=label(RUNS), options=Options(key))


def cpu_of_all() -> float:
    """Seconds of CPU of this process and of those that it started, but servers of databases."""
    return time.process_time() + cpu_of_children().get("worker_cpu_s", 0.0)


def learn(cores: int) -> None:
    """Seconds to learn some columns, with their faults, on this many workers; in a process of its own."""
    from byhistory.learners import Program
    from byhistory.spark.session import open_session
    from byhistory.validator.learning import LearningTask, Spread, learned_here

    tasks: list[LearningTask] = []

    class Gathered(Spread):
        def __call__(self, given: list[LearningTask]) -> list[Program]:
            tasks.extend(given)
            return [learned_here(task) for task in given]

    spark = open_session("bench.fleet", master=f"local[{cores}]", conf={"spark.default.parallelism": str(cores)})
    with Validator("memory:", config=Config()) as guard:
        guard.remember(profiles(RUNS, guard.store.key()), "t", spread=Gathered(spark, 1))
    many = tasks * 15
    spread = Spread(spark, 1)
    spread(tasks * 5 * cores)  # all workers are started, and have what they need: each is given fifty
    begin, before = time.perf_counter(), cpu_of_children()
    own = time.process_time()
    spread(many)
    found = {"columns": len(many), "seconds": time.perf_counter() - begin, "driver_cpu_s": time.process_time() - own}
    print(json.dumps(found | {name: seconds - before.get(name, 0.0) for name, seconds in cpu_of_children().items()}))
    spark.stop()


def cpu_of_children() -> dict[str, float]:
    """Seconds of CPU of the processes that this one started, and of theirs: of Spark itself, and of its workers."""
    parents, used = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            name, _, rest = (folder / "stat").read_text().rpartition(")")
            fields, pid = rest.split(), int(folder.name)
            parents[pid] = int(fields[1])
            used[pid] = (
                kind_of(name.partition("(")[2]),
                (int(fields[11]) + int(fields[12])) / _TICKS,
            )
    found: dict[str, float] = {}
    for pid, (name, seconds) in used.items():
        above = pid
        while above not in (0, os.getpid()):
            above = parents.get(above, 0)
        if above and pid != above:
            found[name] = found.get(name, 0.0) + seconds
    return found


def kind_of(program: str) -> str:
    """Whose CPU a process takes."""
    return "spark_cpu_s" if "java" in program else "worker_cpu_s" if "python" in program else "server_cpu_s"


def spread() -> dict[str, float]:
    answers = {}
    for cores in (1, 2):
        command = [sys.executable, "-m", "bench.fleet", "--learn", str(cores)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
        answers[cores] = json.loads(done.stdout.splitlines()[-1])
    one, two = answers[1]["seconds"], answers[2]["seconds"]
    cpu = {
        f"{name}_{cores}": answers[cores][name]
        for name in ("worker_cpu_s", "spark_cpu_s", "driver_cpu_s")
        for cores in (1, 2)
    }
    alone = answers[2]["spark_cpu_s"] + answers[2]["driver_cpu_s"]  # as if nobody else worked then
    idle = (alone + answers[1]["worker_cpu_s"]) / (alone + answers[2]["worker_cpu_s"] / 2)
    times = {"one_s": one, "two_s": two, "speedup": one / two, "speedup_by_cpu": idle}
    return {"columns": answers[1]["columns"], **times, **cpu}


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--kind", default="sqlite", choices=("sqlite", "postgres", "s3", "directory"))
    ask.add_argument("--tables", type=int, default=10_000)
    ask.add_argument("--rows", type=int, default=ROWS, help="of a run: the fewer, the smaller are its profiles")
    ask.add_argument("--checked", type=int, default=200, help="tables that are checked, all over the store")
    ask.add_argument("--at-once", type=int, default=AT_ONCE, help="tables side by side, as `check --all` does it")
    ask.add_argument("--keep", type=Path, help="a folder whose SQLite store stays, and is filled up to --tables")
    ask.add_argument(
        "--fill-only", action="store_true", help="fill the store of --keep for --minutes, and check nothing"
    )
    ask.add_argument("--minutes", type=float, default=15.0)
    ask.add_argument("--spread", action="store_true")
    ask.add_argument("--learn", type=int, help="(for itself)")
    asked = ask.parse_args()
    if asked.learn:
        learn(asked.learn)
        return
    gc.set_threshold(*RARELY)  # as every command does
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    about: dict[str, Any] = {
        "commit": commit.stdout.strip(),
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }
    about |= {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    if asked.spread:
        found = {"what": "spread", **spread()}
    elif asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
        url = f"sqlite:///{asked.keep.absolute()}/fleet.db"
        until = time.time() + 60 * asked.minutes if asked.fill_only else math.inf
        begin, tables = time.perf_counter(), fill_more(url, asked.tables, asked.rows, until)
        size = sum(file.stat().st_size for file in asked.keep.iterdir())
        found = {"what": "sqlite, kept", "tables": tables, "rows": asked.rows}
        found |= {"fill_s": time.perf_counter() - begin, "gb": size / 1e9}
        if not asked.fill_only:
            found |= checked(url, asked.checked, asked.at_once)
    else:
        with store_of(asked.kind) as url:
            seconds = fill(url, asked.tables, asked.rows)
            found = {"what": asked.kind, "tables": asked.tables, "rows": asked.rows, "record_ms": 1000 * seconds / RUNS}
            found |= checked(url, asked.checked, asked.at_once)
    if not asked.fill_only:
        with RESULTS.open("a") as file:
            file.write(json.dumps(about | found) + "\n")
    for name, value in found.items():
        print(f"{name:18} {value:,.1f}" if isinstance(value, float) else f"{name:18} {value}")


if __name__ == "__main__":
    main()
