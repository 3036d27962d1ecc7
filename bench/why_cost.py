"""What does an answer cost, in profiles? `make bench-why` ends with it.

Two runs of a made table as Parquet, a fault in a segment of the second, and a guard that stops it. An answer (a sample
of both runs, the search, and the proof) is timed in turn with the profile of the run by Spark's own reader, because an
answer reads rows in the same way; CPU seconds of all processes beside the wall clock.

    python -m bench.why_cost --rows 1000000 --columns 40
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from bench.profile_timing import in_turn, ratio, session
from bench.why import RESULTS, commit
from bench.why_cases.made import shop

from byhistory.config import Config
from byhistory.rows.local import profile_table
from byhistory.spark import profile
from byhistory.validator import Validator

PAST = 10
"""Runs of history, by choice: a week is needed."""
SMALL = 5_000
"""Rows of the runs of the past, by choice: only their profiles are kept."""


def broken(table: pa.Table) -> pa.Table:
    mask = pc.and_(pc.equal(table["source"], "mobile"), pc.greater_equal(table["version"], 5.0))
    values = pc.if_else(pc.fill_null(mask, False), pa.scalar(None, pa.float64()), table["amount"])
    return table.set_column(table.column_names.index("amount"), "amount", values)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--rows", type=int, default=1_000_000)
    ask.add_argument("--columns", type=int, default=40)
    ask.add_argument("--rounds", type=int, default=3)
    asked = ask.parse_args()
    spark = session("why-cost")
    with tempfile.TemporaryDirectory() as folder:
        frames = []
        for day in (0, 1):
            table = shop(asked.rows, asked.columns, PAST + day)
            table = broken(table) if day else table
            place = Path(folder) / str(day)
            place.mkdir()
            for part in range(8):
                cut = np.linspace(0, asked.rows, 9).astype(int)
                pq.write_table(table.slice(cut[part], cut[part + 1] - cut[part]), place / f"{part}.parquet")
            frames.append(spark.read.parquet(str(place)))
        before, now = frames
        guard = Validator("memory:", config=Config())
        past = [profile_table(shop(SMALL, asked.columns, day), run=f"{day:02}") for day in range(PAST)]
        guard.remember([*past, profile(before, run=f"{PAST:02}")], "t")
        verdict = guard.check(now, "t", f"{PAST + 1:02}")
        if verdict.level == "as usual":
            raise SystemExit("the fault was not found")
        answers = []
        works = {
            "profile": lambda: profile(now, run="x", sample_rows=0),
            "why": lambda: answers.append(guard.why(now, verdict, before=before, columns=["amount"])),
            "without proof": lambda: guard.why(now, verdict, before=before, columns=["amount"], prove=False),
        }
        took = in_turn(works, asked.rounds)
    print(answers[-1])
    record = {
        "commit": commit(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "cost": {"rows": asked.rows, "columns": asked.columns, "rounds": asked.rounds},
        "in_profiles": {name: ratio(took, name, "profile") for name in ("why", "without proof")},
        "in_profiles_of_cpu": {name: ratio(took, name, "profile", 1) for name in ("why", "without proof")},
        "seconds": {name: [round(t[0], 2) for t in times] for name, times in took.items()},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(record, indent=2))
    with RESULTS.open("a") as file:
        file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
