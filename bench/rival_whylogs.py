"""whylogs on Spark, in an environment of its own (see `bench.profile`): times itself and the bare scan, prints JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

os.environ["WHYLOGS_NO_ANALYTICS"] = "True"  # it would send a note to its makers
os.environ["PYSPARK_PYTHON"] = sys.executable


def main() -> None:
    from pyspark.sql import SparkSession
    from whylogs.api.pyspark.experimental import collect_dataset_profile_view

    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("rounds", type=int)
    parser.add_argument("settings", type=json.loads)
    asked = parser.parse_args()
    builder = SparkSession.builder.master("local[2]")
    for name, value in asked.settings.items():
        builder = builder.config(name, value)
    df = builder.getOrCreate().read.parquet(asked.table)
    rounds = []
    for number in range(asked.rounds + 1):
        start = time.perf_counter()
        df.write.format("noop").mode("overwrite").save()
        scanned = time.perf_counter()
        collect_dataset_profile_view(df)
        if number:  # the first one warms up
            rounds.append([scanned - start, time.perf_counter() - scanned])
    print(json.dumps(rounds))


if __name__ == "__main__":
    main()
