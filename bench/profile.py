"""How long does it take to profile a table, and how much memory? `make bench-profile`.

Everything is a ratio within one round: the bare scan of the table (to a `noop` sink), our profile, one hand-written
Catalyst aggregation, the same table profiled by run, one after another; the median of the rounds counts, because a
shared machine is slow for minutes and not for one of them. The files of the same table are profiled where they lie
(`direct`: by Spark's workers; `local`: in this process), beside what duckdb and polars have to describe files. CPU
seconds of all processes are reported beside the wall clock. whylogs runs on the same files with the same Spark in an
environment of its own (.venv-whylogs), beside a scan of its own; its ratio to us is the ratio of the two ratios to the
scan. So does TFDV (.venv-tfdv), without Spark. Deequ is in no registry: figures that were noted elsewhere stand beside.

`--only rounds`, `--only rows` and so on take the parts one by one, each a line of the results and each done within ten
minutes where nothing else runs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from bench.profile_growth import accuracy, alone, growth_in_columns, growth_in_rows, run_part, shapes
from bench.profile_timing import (
    ROOT,
    catalyst,
    duckdb_summary,
    handed_over,
    in_turn,
    polars_summary,
    ratio,
    scan,
    session,
    tfdv,
    timed,
    whylogs,
)
from bench.tables import write, write_runs

from byhistory.files.local import profile_files as local_files
from byhistory.profile import to_bytes
from byhistory.spark.files import profile_files, profile_run_files
from byhistory.spark.profiler import profile, profile_runs

RESULTS = ROOT / "bench" / "results" / "profile.jsonl"
RUNS = 60
"""Runs of the table that is profiled by run: as many as a backfill brings in for a check."""
TOLD = {
    "TFDV": 0.4,
    "Deequ, 81 constraints": 1.4,
    "Deequ, 113 metrics": 1.6,
    "Deequ, ColumnProfiler": 23.0,
    "whylogs on pandas": 3.4,
    "whylogs on Spark": 4.3,
}
"""CPU of others in hand-written aggregations of Catalyst, as noted in November 2026 of 1 M rows × 20 columns, warm."""


def facts() -> dict[str, Any]:
    import pyspark

    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        "commit": commit.stdout.strip(),
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "pyspark": pyspark.__version__,
        "numpy": np.__version__,
        "pyarrow": pa.__version__,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def in_rounds(folder: Path, rows: int, rounds: int) -> dict[str, Any]:
    """What is timed in turn: the bare scan, our ways, and what others have to describe a table."""
    table, runs = write(folder / "table", rows), write_runs(folder / "runs", rows, RUNS)
    spark = session("bench")
    first_scan, _ = timed(lambda: scan(spark.range(1000)))
    df, by = spark.read.parquet(str(table)), spark.read.parquet(str(runs))
    cold, _ = timed(lambda: profile(df))
    works = {
        "scan": lambda: scan(df),
        "ours": lambda: profile(df),
        "catalyst": lambda: catalyst(df),
        "hand-over": lambda: handed_over(df),
        "whole": lambda: profile(by.drop("ds")),
        "by run": lambda: profile_runs(by, "ds"),
        "direct": lambda: profile_files(spark, str(table)),
        "direct by run": lambda: profile_run_files(spark, str(runs), ["ds"]),
        "local": lambda: local_files(str(table)),
        "duckdb": lambda: duckdb_summary(table),
        "polars": lambda: polars_summary(table),
    }
    took = in_turn(works, rounds)
    spark.stop()
    line: dict[str, Any] = {"rounds": rounds}
    line |= {"cold_s": round(cold, 2), "first_job_s": round(first_scan, 2)}
    line["seconds"] = {n: round(statistics.median(w for w, _ in t[1:]), 2) for n, t in took.items()}
    line["cpu_seconds"] = {n: round(statistics.median(c for _, c in t[1:]), 2) for n, t in took.items()}
    line["ratios"] = {
        "scan": ratio(took, "ours", "scan"),
        "scan_cpu": ratio(took, "ours", "scan", clock=1),
        "catalyst": ratio(took, "ours", "catalyst"),
        "by_run": ratio(took, "by run", "whole"),
        "by_run_cpu": ratio(took, "by run", "whole", clock=1),
    }
    for name in ("direct", "direct by run", "local", "duckdb", "polars"):
        line["ratios"][name.replace(" ", "_")] = ratio(took, name, "scan")
        line["ratios"][name.replace(" ", "_") + "_cpu"] = ratio(took, name, "scan", clock=1)
    line["cpu_to_catalyst"] = {n: ratio(took, n, "catalyst", clock=1) for n in ("direct", "local", "duckdb", "polars")}
    return line


def of_sizes(folder: Path, quick: bool) -> dict[str, Any]:
    """How large a profile is and how exact, and how much memory one of very many values takes."""
    rows = 100_000 if quick else 1_000_000
    table = write(folder / "table", rows)
    spark = session("bench")
    df = spark.read.parquet(str(table))
    mine = profile(df)
    line: dict[str, Any] = {"accuracy": accuracy(df, table)}
    line["bytes_per_column"] = round(statistics.mean(len(to_bytes(mine[c])) for c in mine))
    line["largest_column_bytes"] = max(len(to_bytes(mine[c])) for c in mine)
    spark.stop()
    distinct = 1_000_000 if quick else 10_000_000
    return line | {"distinct": {"values": distinct, **alone("distinct", str(distinct))}}


def of_rows(folder: Path, quick: bool) -> dict[str, Any]:
    """How time grows with rows, and how much memory most of them take."""
    sizes = [10**5, 10**6] if quick else [10**5, 10**6, 10**7]
    spark = session("bench")
    took = growth_in_rows(spark, folder, sizes)
    spark.stop()
    most = {way: alone(way, str(folder / f"rows-{sizes[-1]}")) for way in ("direct", "local")}
    return {"cpu_s_per_million_rows": took, "memory_of_rows_mb": most}


def of_columns(folder: Path, quick: bool) -> dict[str, Any]:
    """How time grows with columns, and how much memory most of them take."""
    sizes = [10, 100] if quick else [10, 100, 1000]
    spark = session("bench")
    took = growth_in_columns(spark, folder, sizes, rows=20_000)
    spark.stop()
    most = {way: alone(way, str(folder / f"columns-{sizes[-1]}")) for way in ("wide", "direct", "local")}
    return {"cpu_ms_per_column": took, "memory_of_columns_mb": most}


def of_shapes(folder: Path, quick: bool) -> dict[str, Any]:
    """What the same rows cost in few files, many, one, and in files of unequal size."""
    spark = session("bench")
    rows, many = (20_000, 500) if quick else (200_000, 10_000)
    took = shapes(spark, folder, rows, many)
    spark.stop()
    return {"shapes_cpu_s": {"rows": rows, **took}}


def beside_rivals(folder: Path, rows: int, rounds: int, which: str) -> dict[str, Any]:
    """Libraries that need an environment of their own."""
    table = write(folder / "table", rows)
    if which == "whylogs":
        return {"whylogs_scan": whylogs(table, rounds)}
    return {"tfdv_cpu_s": tfdv(table, rounds)}


def show(line: dict[str, Any]) -> None:
    if "seconds" in line:
        show_rounds(line)
    show_growth(line)
    if "whylogs_scan" in line:
        times = line.get("ratios", {}).get("whylogs", math.nan)
        print(f"whylogs: {line['whylogs_scan']:.1f} bare scans, {times:.1f} times ours")
    if "tfdv_cpu_s" in line:
        print(f"TFDV, one process, everything in memory: {line['tfdv_cpu_s']:.1f} s of CPU")
    if "seconds" in line:
        names = ("scan", "direct", "by_run", "direct_by_run", "local", "catalyst", "whylogs")
        print(" ".join(f"{name}_ratio={line['ratios'].get(name, math.nan):.2f}" for name in names))


def show_rounds(line: dict[str, Any]) -> None:
    print(f"{line['rows']:,} rows × 40 columns, {line['rounds']} rounds, load {line['load']}, Spark {line['pyspark']}")
    print(f"{'':14}{'seconds':>10}{'CPU s':>10}{'/ scan':>10}{'CPU':>8}")
    for name, seconds in line["seconds"].items():
        cpu = line["cpu_seconds"]
        print(
            f"{name:14}{seconds:10.2f}{cpu[name]:10.2f}{seconds / line['seconds']['scan']:10.2f}"
            f"{cpu[name] / cpu['scan']:8.2f}"
        )
    print(f"cold: the first profile of a session takes {line['cold_s']} s; its first job {line['first_job_s']} s")
    print(f"CPU in hand-written aggregations: {line['cpu_to_catalyst']}, others, as noted: {TOLD}")


SAID = {
    "cpu_s_per_million_rows": "CPU seconds per million rows (5 columns)",
    "memory_of_rows_mb": "most rows, from files, MB",
    "cpu_ms_per_column": "CPU milliseconds per column (20,000 rows)",
    "memory_of_columns_mb": "most columns, as a DataFrame and from files, MB",
    "shapes_cpu_s": "CPU seconds by shape of the files, direct and local",
    "distinct": "many distinct strings",
    "bytes_per_column": "bytes stored of a column",
    "largest_column_bytes": "at most",
    "accuracy": "largest errors",
}
"""What is printed of the parts beside the rounds."""


def show_growth(line: dict[str, Any]) -> None:
    for name, words in SAID.items():
        if name in line:
            print(f"{words}: {line[name]}")


GROWTH: dict[str, Callable[[Path, bool], dict[str, Any]]] = {
    "rows": of_rows,
    "columns": of_columns,
    "shapes": of_shapes,
    "sizes": of_sizes,
}
PARTS = ("rounds", *GROWTH, "whylogs", "tfdv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, fewer rounds, nothing large")
    parser.add_argument("--short", action="store_true", help="only what is timed in turn, as --only rounds")
    parser.add_argument("--only", choices=PARTS, action="append", help="one of the parts, or more of them")
    parser.add_argument("--rounds", type=int, default=0, help="how many rounds, beside the first, which warms up")
    parser.add_argument("--part", nargs=2, metavar=("PART", "ARGUMENT"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        run_part(*asked.part)
        return
    parts = ["rounds"] if asked.short else asked.only or PARTS
    rows, rounds = (100_000, 3) if asked.quick else (1_000_000, 5)
    line = facts() | {"rows": rows}
    with tempfile.TemporaryDirectory(prefix="byhistory-bench-") as folder:
        if "rounds" in parts:
            line |= in_rounds(Path(folder), rows, asked.rounds or rounds)
        for name, growth in GROWTH.items():
            if name in parts:
                line |= growth(Path(folder) / name, asked.quick)
        for name in ("whylogs", "tfdv"):
            if name in parts:
                line |= beside_rivals(Path(folder), rows, 1 if asked.quick else 3, name)
    add_ratios_of_rivals(line)
    if not asked.quick:
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a", encoding="utf-8") as results:
            results.write(json.dumps(line) + "\n")
    show(line)


def add_ratios_of_rivals(line: dict[str, Any]) -> None:
    """To ours, as timed in the same line or, if a rival was taken by itself, in the last line that has them."""
    ours = line if "seconds" in line else last_rounds(line["rows"])
    ratios, to_catalyst = line.get("ratios", {}), line.get("cpu_to_catalyst", {})
    if ours and "whylogs_scan" in line:
        ratios |= {"whylogs_scan": line["whylogs_scan"], "whylogs": line["whylogs_scan"] / ours["ratios"]["scan"]}
    if ours and "tfdv_cpu_s" in line:
        ratios["tfdv_cpu"] = line["tfdv_cpu_s"] / ours["cpu_seconds"]["scan"]
        to_catalyst["TFDV"] = line["tfdv_cpu_s"] / ours["cpu_seconds"]["catalyst"]
    for name, found in (("ratios", ratios), ("cpu_to_catalyst", to_catalyst)):
        if found:
            line[name] = {key: round(value, 2) for key, value in found.items()}


def last_rounds(rows: int) -> dict[str, Any] | None:
    """What was timed in turn last, of as many rows."""
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    timed = [line for line in lines if "seconds" in line and line["rows"] == rows]
    return timed[-1] if timed else None


if __name__ == "__main__":
    main()
