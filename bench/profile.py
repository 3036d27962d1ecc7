"""How long does it take to profile a table, and how much memory? `make bench-profile`.

Everything is a ratio within one round: the bare scan of the table (to a `noop` sink), our profile, one hand-written
Catalyst aggregation, the same table profiled by run, one after another; the median of the rounds counts, because a
shared machine is slow for minutes and not for one of them. The files of the same table are profiled where they lie
(`direct`: by Spark's workers; `local`: in this process), beside what duckdb and polars have to describe files. CPU
seconds of all processes are reported beside the wall clock. whylogs runs on the same files with the same Spark in an
environment of its own (.venv-whylogs), beside a scan of its own; its ratio to us is the ratio of the two ratios to the
scan.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from bench.tables import mixed, write, write_runs
from scipy import stats

from byhistory.files.local import profile_files as local_files
from byhistory.metrics import Pair, by_name
from byhistory.profile import to_bytes
from byhistory.spark.files import profile_files, profile_run_files
from byhistory.spark.java import java_environment
from byhistory.spark.profiler import profile, profile_runs
from byhistory.spark.session import SETTINGS, local_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "profile.jsonl"
RIVAL = ROOT / ".venv-whylogs"
# whylogs was last released for numpy 1 and pandas 2.0; these are the newest that it was found to run on.
PINNED = ("whylogs==1.6.4", "numpy==2.3.5", "pandas==2.2.3")
RUNS = 60
MEMORY = {"spark.driver.memory": "4g"}  # local mode: the driver is the executor


def session(name: str) -> SparkSession:
    return local_session(name, **MEMORY)


# --- what is timed ----------------------------------------------------------------------------------------------------


def scan(df: DataFrame) -> None:
    df.write.format("noop").mode("overwrite").save()


def handed_over(df: DataFrame) -> None:
    """The Arrow hand-over and nothing else."""

    def nothing(batches: Any) -> Any:
        for batch in batches:
            yield batch.slice(0, 0)

    scan(df.mapInArrow(nothing, df.schema))


def catalyst(df: DataFrame) -> None:
    """What one writes by hand: counts, HyperLogLog of all columns, extremes and moments of the numbers."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import NumericType

    wanted = [f(c) for c in df.columns for f in (F.count, F.approx_count_distinct)]
    numbers = [f.name for f in df.schema.fields if isinstance(f.dataType, NumericType)]
    wanted += [f(c) for c in numbers for f in (F.min, F.max, F.avg, F.stddev)]  # a plain sum overflows on `wide`
    df.agg(*wanted).collect()


def duckdb_summary(table: Path) -> None:
    """Types, extremes, approximate distinct values, means, quartiles and nulls of all columns."""
    import duckdb

    with duckdb.connect() as connection:
        found = connection.read_parquet(f"{table}/*.parquet").query("t", "summarize t")
        assert found is not None
        found.fetchall()


def polars_summary(table: Path) -> None:
    """Counts, nulls, extremes, means and quartiles of all columns."""
    import polars as pl

    pl.scan_parquet(f"{table}/*.parquet").describe()


def cpu_seconds() -> float:
    """CPU time so far of this process, its JVM and Spark's Python workers."""
    times: dict[int, tuple[int, float]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended since
                continue
            times[int(folder.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"))
    ours, grown = {os.getpid()}, True
    while grown:
        more = {process for process, (parent, _) in times.items() if parent in ours} - ours
        ours |= more
        grown = bool(more)
    return sum(times[process][1] for process in ours)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    start, cpu = time.perf_counter(), cpu_seconds()
    work()
    return time.perf_counter() - start, cpu_seconds() - cpu


def in_turn(works: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Wall and CPU seconds of each, round by round; the first round warms up and is told as cold."""
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            took[name].append(timed(work))
        print(f"round {number}: " + ", ".join(f"{n} {t[-1][0]:.1f}" for n, t in took.items()), file=sys.stderr)
    return took


def ratio(took: dict[str, list[tuple[float, float]]], one: str, other: str, clock: int = 0) -> float:
    """Median over the warm rounds of how many times longer the one takes."""
    pairs = list(zip(took[one], took[other], strict=True))[1:]
    return statistics.median(a[clock] / b[clock] for a, b in pairs)


def whylogs(table: Path, rounds: int) -> float:
    """How many times the bare scan whylogs takes."""
    import pyspark

    if not (RIVAL / "complete").exists():
        venv.create(RIVAL, with_pip=True, clear=True)
        own = [f"pyspark=={pyspark.__version__}", f"pyarrow=={pa.__version__}"]
        subprocess.run([RIVAL / "bin" / "python", "-m", "pip", "install", "-q", *PINNED, *own], check=True)
        (RIVAL / "complete").touch()
    command = [
        str(RIVAL / "bin" / "python"),
        "-m",
        "bench.rival_whylogs",
        str(table),
        str(rounds),
        json.dumps(SETTINGS | MEMORY),
    ]
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SPARK_HOME")}
    environment |= java_environment(os.environ) | {"SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return statistics.median(mine / bare for bare, mine in json.loads(done.stdout.splitlines()[-1]))


# --- growth and memory ------------------------------------------------------------------------------------------------


def narrow(spark: SparkSession, rows: int) -> DataFrame:
    from pyspark.sql import functions as F

    return spark.range(0, rows, 1, 8).select(
        "id",
        (F.rand(1) * 1000).alias("rate"),
        (F.col("id") % 1000).alias("small"),
        F.concat(F.lit("user"), F.col("id")).alias("name"),
        F.concat(F.lit("group "), F.col("id") % 50).alias("group"),
    )


def growth_in_rows(spark: SparkSession, sizes: list[int]) -> dict[str, float]:
    """Seconds per million rows."""
    return {f"{n:,}": round(best_of_two(lambda n=n: profile(narrow(spark, n))) / n * 1e6, 2) for n in sizes}


def best_of_two(work: Callable[[], Any]) -> float:
    return min(timed(work)[0] for _ in range(2))


def growth_in_columns(spark: SparkSession, folder: Path, sizes: list[int], rows: int) -> dict[str, float]:
    """Milliseconds per column."""
    wide_table(folder, max(sizes), rows)
    df = spark.read.parquet(str(folder))
    took = {}
    for size in sizes:
        some = df.select(df.columns[:size])
        took[f"{size:,}"] = round(best_of_two(lambda some=some: profile(some)) / size * 1e3, 1)
    return took


def wide_table(folder: Path, columns: int, rows: int) -> None:
    """The mixed table again and again, with other rows each time."""
    folder.mkdir()
    for part in range(4):
        blocks = [mixed(rows // 4, seed=part * 1000 + i) for i in range(-(-columns // 40))]
        arrays = [(f"{n}{i}", block.column(n)) for i, block in enumerate(blocks) for n in block.column_names]
        pq.write_table(pa.table(dict(arrays[:columns])), folder / f"part-{part}.parquet")


def peaks() -> dict[str, float]:
    """Largest memory so far of the Python driver and of Spark's Python workers, in MB."""
    workers = [0.0]
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"pyspark.daemon" in (folder / "cmdline").read_bytes():
                workers.append(peak(folder))
        except (OSError, KeyError):  # noqa: PERF203 - each may have ended since
            continue
    return {"driver_mb": round(peak(Path("/proc/self"))), "worker_mb": round(max(workers))}


def peak(process: Path) -> float:
    """As the kernel says; `getrusage` would count what the parent had when it started us."""
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


def alone(part: str, *arguments: str) -> dict[str, float]:
    """One part in a process of its own, whose memory is then its own."""
    command = [sys.executable, "-m", "bench.profile", "--part", part, *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run_part(part: str, argument: str) -> None:
    spark = session(part)
    if part == "wide":
        profile(spark.read.parquet(argument))
    elif part == "distinct":
        from pyspark.sql import functions as F

        rows = spark.range(0, int(argument), 1, 4).select(F.concat(F.lit("user name "), F.col("id")).alias("name"))
        found = profile(rows)["name"].distinct
        assert abs(found / int(argument) - 1) < 0.02, found
    print(json.dumps(peaks()))
    spark.stop()


# --- accuracy ---------------------------------------------------------------------------------------------------------


def accuracy(df: DataFrame, table: Path) -> dict[str, float]:
    """Largest errors over the numeric columns, two halves of the table compared, against scipy on the raw rows."""
    from pyspark.sql import functions as F

    files = sorted(table.glob("*.parquet"))
    count = sum(pq.read_metadata(f).num_rows for f in files)
    halves = [pq.read_table(files[: len(files) // 2]), pq.read_table(files[len(files) // 2 :])]
    runs = list(profile_runs(df.withColumn("half", (F.col("id") >= count // 2).cast("int")), "half").values())
    worst = dict.fromkeys(("rank", "ks", "emd_of_spread", "distinct"), 0.0)
    shares = np.linspace(0.01, 0.99, 99)
    for name in runs[0]:
        raw = [half.column(name).drop_null() for half in halves]
        exact = len(raw[0].unique())
        worst["distinct"] = max(worst["distinct"], abs(runs[0][name].distinct / exact - 1))
        if runs[0][name].quantiles is None:
            continue
        x, y = (np.asarray(r.to_numpy(), np.float64) for r in raw)
        x, y = np.sort(x[np.isfinite(x)]), np.sort(y[np.isfinite(y)])
        quantiles, ks, emd = runs[0][name].quantiles, by_name("ks_dist"), by_name("emd")
        assert quantiles is not None
        assert isinstance(ks, Pair)
        assert isinstance(emd, Pair)
        at = quantiles.at(shares)
        low, high = np.searchsorted(x, at, "left") / len(x), np.searchsorted(x, at, "right") / len(x)
        worst["rank"] = max(worst["rank"], float(np.max(np.maximum(low - shares, shares - high))))
        now, before = runs[0][name], runs[1][name]
        worst["ks"] = max(worst["ks"], abs(ks(now, before) - stats.ks_2samp(x, y).statistic))
        off = abs(emd(now, before) - stats.wasserstein_distance(x, y)) / x.std()
        worst["emd_of_spread"] = max(worst["emd_of_spread"], float(off))
    return {name: round(float(value), 5) for name, value in worst.items()}


# --- all of it --------------------------------------------------------------------------------------------------------


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


def shapes(spark: SparkSession, folder: Path, rows: int, many: int) -> dict[str, tuple[float, ...]]:
    """The same rows in files of other shapes: CPU seconds of the direct and of the local way, the second time."""
    whole = mixed(rows, seed=3)
    cuts = {
        "8 files": [rows * i // 8 for i in range(9)],
        f"{many:,} files": [rows * i // many for i in range(many + 1)],
        "skewed": [0, rows * 9 // 10, *(rows * 9 // 10 + rows * i // 200 for i in range(1, 20)), rows],
    }
    for name, ends in cuts.items():
        (folder / name).mkdir(parents=True)
        for i, (start, stop) in enumerate(pairwise(ends)):
            pq.write_table(whole.slice(start, stop - start), folder / name / f"part-{i:05d}.parquet")
    (folder / "1 file, 20 row groups").mkdir()
    pq.write_table(whole, folder / "1 file, 20 row groups" / "part.parquet", row_group_size=rows // 20)
    took = {}
    for path in sorted(folder.iterdir()):
        ways: list[Callable[[], Any]] = [
            lambda path=path: profile_files(spark, str(path)),
            lambda path=path: local_files(str(path)),
        ]
        took[path.name] = tuple(round(min(timed(way)[1] for _ in range(2)), 2) for way in ways)
    return took


def measured(folder: Path, rows: int, rounds: int, quick: bool, short: bool) -> dict[str, Any]:
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
    line: dict[str, Any] = {"rows": rows, "rounds": rounds}
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
    if short:
        spark.stop()
        line["ratios"] = {name: round(value, 2) for name, value in line["ratios"].items()}
        return line
    line["shapes_cpu_s"] = shapes(spark, folder / "shapes", rows // 5, 500 if quick else 10_000)
    mine = profile(df)
    line["bytes_per_column"] = round(statistics.mean(len(to_bytes(mine[c])) for c in mine))
    line["largest_column_bytes"] = max(len(to_bytes(mine[c])) for c in mine)
    line["accuracy"] = accuracy(df, table)
    sizes = [10, 100] if quick else [10, 100, 1000]
    line["s_per_million_rows"] = growth_in_rows(spark, [10**5, 10**6] if quick else [10**5, 10**6, 10**7])
    line["ms_per_column"] = growth_in_columns(spark, folder / "wide", sizes, rows=20_000)
    spark.stop()
    line["wide"] = {"columns": sizes[-1], **alone("wide", str(folder / "wide"))}
    distinct = 1_000_000 if quick else 10_000_000
    line["distinct"] = {"values": distinct, **alone("distinct", str(distinct))}
    line["ratios"]["whylogs_scan"] = whylogs(table, 1 if quick else min(3, rounds))
    line["ratios"]["whylogs"] = line["ratios"]["whylogs_scan"] / line["ratios"]["scan"]
    line["ratios"] = {name: round(value, 2) for name, value in line["ratios"].items()}
    return line


def show(line: dict[str, Any]) -> None:
    print(f"{line['rows']:,} rows × 40 columns, {line['rounds']} rounds, load {line['load']}, Spark {line['pyspark']}")
    print(f"{'':14}{'seconds':>10}{'CPU s':>10}{'/ scan':>10}{'CPU':>8}")
    for name, seconds in line["seconds"].items():
        cpu = line["cpu_seconds"]
        print(
            f"{name:14}{seconds:10.2f}{cpu[name]:10.2f}{seconds / line['seconds']['scan']:10.2f}"
            f"{cpu[name] / cpu['scan']:8.2f}"
        )
    if "accuracy" in line:
        show_rest(line)
    names = ("scan", "direct", "by_run", "direct_by_run", "local", "catalyst", "whylogs")
    print(" ".join(f"{name}_ratio={line['ratios'].get(name, math.nan):.2f}" for name in names))


def show_rest(line: dict[str, Any]) -> None:
    print(f"cold: the first profile of a session takes {line['cold_s']} s; its first job {line['first_job_s']} s")
    print(f"seconds per million rows (5 columns): {line['s_per_million_rows']}")
    print(f"milliseconds per column (20,000 rows): {line['ms_per_column']}")
    wide = line["wide"]
    print(f"{wide['columns']:,} columns: driver {wide['driver_mb']} MB, worker {wide['worker_mb']} MB")
    print(f"{line['distinct']['values']:,} distinct strings: worker {line['distinct']['worker_mb']} MB")
    print(f"stored: {line['bytes_per_column']} bytes a column on average, {line['largest_column_bytes']} at most")
    print(f"largest errors: {line['accuracy']}")
    print(f"CPU seconds by shape of the files, direct and local: {line['shapes_cpu_s']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, fewer rounds, nothing large")
    parser.add_argument("--short", action="store_true", help="only what is timed in turn, not growth and memory")
    parser.add_argument("--rounds", type=int, default=0, help="how many rounds, beside the first, which warms up")
    parser.add_argument("--part", nargs=2, metavar=("PART", "ARGUMENT"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        run_part(*asked.part)
        return
    line = facts()
    with tempfile.TemporaryDirectory(prefix="byhistory-bench-") as folder:
        rows, rounds = (100_000, 3) if asked.quick else (1_000_000, 5)
        line |= measured(Path(folder), rows, asked.rounds or rounds, asked.quick, asked.short)
    if not asked.quick:
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a", encoding="utf-8") as results:
            results.write(json.dumps(line) + "\n")
    show(line)


if __name__ == "__main__":
    main()
