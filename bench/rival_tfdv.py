"""TFDV in an environment of its own (see `bench.profile`): times its statistics of Parquet files, prints JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"


def main() -> None:
    import pyarrow.parquet as pq
    import tensorflow_data_validation as tfdv

    files = sorted(Path(sys.argv[1]).glob("*.parquet"))
    took = []
    for number in range(int(sys.argv[2]) + 1):
        start = time.process_time()
        for file in files:  # one after another, as it holds what it is given in memory several times
            tfdv.generate_statistics_from_dataframe(pq.read_table(file).to_pandas(), n_jobs=1)
        if number:  # the first one warms up
            took.append(time.process_time() - start)
    print(json.dumps(took))


if __name__ == "__main__":
    main()
