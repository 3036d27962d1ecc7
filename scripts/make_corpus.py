"""Makes a small corpus for the benchmark: two tables of two sources, 36 runs, one thing that went wrong.

    python scripts/make_corpus.py path/to/a/new/directory

It has the form that docs/reference/corpus.md describes, and is the same every time. It is large enough to try
everything and far too small to compare methods by.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RUNS, ROWS = 36, 60
"""Runs of a table and rows of a run, by choice: enough for thirty runs of history and a few to judge."""
INCIDENT = 33
"""The run of the first table in which every amount is missing."""


def write_corpus(path: Path, lists: bool = True) -> Path:
    """The tables and, unless told not to, the lists that describe them."""
    (path / "tables").mkdir(parents=True)
    random = np.random.default_rng(5)  # noqa: TID251 - a fixed seed: the corpus is the same every time
    for name, words in (("shop_a__orders", ["new", "paid", "sent"]), ("web_b__visits", ["en", "de", "fr", "pl"])):
        pq.write_table(_rows(name, words, random), path / "tables" / f"{name}.parquet")
    if lists:
        runs = [
            {"table": name, "run": run, "label": _label(run), "rows": ROWS, "rows_delivered": 2 * ROWS, "commit": ""}
            for name in ("shop_a__orders", "web_b__visits")
            for run in range(RUNS)
        ]
        _write(path / "runs.csv", runs)
        catalogue = [
            {"table": "shop_a__orders", "domain": "shop", "cadence": "daily"},
            {"table": "web_b__visits", "domain": "web", "cadence": "daily"},
        ]
        _write(path / "catalogue.csv", catalogue)
        incident = {"table": "shop_a__orders", "run_label": _label(INCIDENT), "until": "", "columns": "amount"}
        _write(path / "incidents.csv", [incident | {"type": "nulls", "visibility": "high"}])
    return path


def _rows(name: str, words: list[str], random: np.random.Generator) -> pa.Table:
    parts = []
    for run in range(RUNS):
        amount = pa.array(np.round(random.lognormal(3, 1, ROWS), 2))
        if run == INCIDENT and name.startswith("shop"):
            amount = pa.nulls(ROWS, pa.float64())
        part = {
            "id": pa.array(np.arange(run * ROWS, (run + 1) * ROWS)),
            "amount": amount,
            "word": pa.array([words[i] for i in random.integers(0, len(words), ROWS)]),
            "code": pa.array([f"{'AB'[i % 2]}-{i:03}" for i in random.integers(0, 500, ROWS)]),
            "_run": pa.array(np.full(ROWS, run, np.int32)),
            "_run_label": pa.array([_label(run)] * ROWS),
        }
        parts.append(pa.table(part))
    return pa.concat_tables(parts)


def _label(run: int) -> str:
    return str(np.datetime64("2026-01-01") + np.timedelta64(run, "D"))


def _write(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="where to make it; must not have tables yet")
    parser.add_argument("--bare", action="store_true", help="the tables alone, without the lists that describe them")
    asked = parser.parse_args()
    if (asked.directory / "tables").exists():
        raise SystemExit(f"{asked.directory} has tables already: name a directory without")
    print(f"a corpus of two tables is in {write_corpus(asked.directory, lists=not asked.bare)}")


if __name__ == "__main__":
    main()
