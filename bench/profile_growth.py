"""How time and memory of a profile grow with rows, columns and files, and how exact it is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from bench.profile_timing import ROOT, session, timed
from bench.tables import mixed
from scipy import stats

from byhistory.files.local import profile_files as local_files
from byhistory.metrics import Pair, by_name
from byhistory.spark.files import profile_files
from byhistory.spark.profiler import profile, profile_runs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def narrow(spark: SparkSession, rows: int) -> DataFrame:
    from pyspark.sql import functions as F

    return spark.range(0, rows, 1, 8).select(
        "id",
        (F.rand(1) * 1000).alias("rate"),
        (F.col("id") % 1000).alias("small"),
        F.concat(F.lit("user"), F.col("id")).alias("name"),
        F.concat(F.lit("group "), F.col("id") % 50).alias("group"),
    )


def growth_in_rows(spark: SparkSession, folder: Path, sizes: list[int]) -> dict[str, dict[str, float]]:
    """CPU seconds per million rows: a DataFrame, and the same rows in files, read by Spark's workers and here."""
    took = {}
    for n in sizes:
        at = str(folder / f"rows-{n}")
        narrow(spark, n).write.parquet(at)
        took[f"{n:,}"] = {name: round(s / n * 1e6, 2) for name, s in _ways(spark, narrow(spark, n), at).items()}
    return took


def growth_in_columns(spark: SparkSession, folder: Path, sizes: list[int], rows: int) -> dict[str, dict[str, float]]:
    """CPU milliseconds per column, the same three ways."""
    took = {}
    for size in sizes:
        at = folder / f"columns-{size}"
        wide_table(at, size, rows)
        ways = _ways(spark, spark.read.parquet(str(at)), str(at))
        took[f"{size:,}"] = {name: round(s / size * 1e3, 1) for name, s in ways.items()}
    return took


def _ways(spark: SparkSession, df: DataFrame, path: str) -> dict[str, float]:
    return {
        "frame": best_of_two(lambda: profile(df)),
        "direct": best_of_two(lambda: profile_files(spark, path)),
        "local": best_of_two(lambda: local_files(path)),
    }


def best_of_two(work: Callable[[], Any]) -> float:
    """CPU seconds of all processes: on a shared machine the clock tells of its neighbours."""
    return min(timed(work)[1] for _ in range(2))


def wide_table(folder: Path, columns: int, rows: int) -> None:
    """The mixed table again and again, with other rows each time."""
    folder.mkdir(parents=True)
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
    if part == "local":
        local_files(argument)
        print(json.dumps(peaks()))
        return
    spark = session(part)
    if part == "wide":
        profile(spark.read.parquet(argument))
    elif part == "direct":
        profile_files(spark, argument)
    elif part == "distinct":
        from pyspark.sql import functions as F

        rows = spark.range(0, int(argument), 1, 4).select(F.concat(F.lit("user name "), F.col("id")).alias("name"))
        found = profile(rows)["name"].distinct
        assert abs(found / int(argument) - 1) < 0.02, found
    print(json.dumps(peaks()))
    spark.stop()


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
