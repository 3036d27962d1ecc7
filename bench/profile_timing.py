"""What `make bench-profile` times in turn: the bare scan, our profiles, and what others have to describe a table."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from byhistory.spark.java import java_environment
from byhistory.spark.session import SETTINGS, local_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).parents[1]
RIVAL = ROOT / ".venv-whylogs"
# whylogs was last released for numpy 1 and pandas 2.0; these are the newest that it was found to run on.
PINNED = ("whylogs==1.6.4", "numpy==2.3.5", "pandas==2.2.3")
MEMORY = {"spark.driver.memory": "4g"}  # local mode: the driver is the executor


def session(name: str) -> SparkSession:
    return local_session(name, **MEMORY)


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
    """Wall and CPU seconds of each, round by round; the first round warms up and is reported as cold."""
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


TFDV = ROOT / ".venv-tfdv"


def tfdv(table: Path, rounds: int) -> float:
    """CPU seconds that TFDV takes for the statistics of the table, everything in the memory of one process."""
    if not (TFDV / "complete").exists():
        venv.create(TFDV, with_pip=True, clear=True)
        python = str(TFDV / "bin" / "python")
        packages = ["tensorflow-data-validation==1.16.1", "dill"]  # newer wheels need a newer glibc
        subprocess.run([python, "-m", "pip", "install", "-q", "uv"], check=True)
        # pip looked for versions that fit together for half an hour and found none; uv takes a minute.
        subprocess.run([python, "-m", "uv", "pip", "install", "-q", "--python", python, *packages], check=True)
        (TFDV / "complete").touch()
    command = [str(TFDV / "bin" / "python"), "-m", "bench.rival_tfdv", str(table), str(rounds)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return statistics.median(json.loads(done.stdout.splitlines()[-1]))
