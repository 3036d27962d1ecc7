"""Tables with a past that has been learned from: would the run have been stopped?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from bench.corpus import LABEL, RUN, tables
from bench.why_cases.made import shop

from byhistory.config import Config
from byhistory.profile import TableProfile
from byhistory.rows.local import kind_of, profile_table
from byhistory.validator import Validator
from byhistory.verdict import Past, check

PAST = 14
"""Runs that the judge has learned from, by choice: two weeks of days."""
WIDEST = 40
"""Columns of a table of a corpus that are looked at, by choice."""


@dataclass(frozen=True)
class Guarded:
    """The last two runs of a table, and the judge that its past has made."""

    name: str
    now: Any
    before: Any
    profiles: list[TableProfile]
    programs: Any
    past: Any
    stride: int = 1
    """The judge sees one row in this many: a made table of a million rows has a past of fewer."""

    @property
    def columns(self) -> list[str]:
        return [n for n in self.now.column_names if kind_of(self.now.schema.field(n).type) is not None]

    def alarmed(self, table: Any, column: str) -> list[str]:
        """What is found in one column of a run (and its number of rows), by the metrics that tell it."""
        seen = table.select([column])
        if self.stride > 1:
            seen = seen.take(pa.array(np.arange(0, table.num_rows, self.stride)))
        batch = profile_table(seen, run="9999", sample_rows=0)
        programs = {column: self.programs[column]} if column in self.programs else {}
        verdict = check(batch, programs, self.past)
        return [f.outcome.constraint.metric for f in verdict.findings if f.stops and f.outcome is not None]


def guarded(name: str, runs: list[Any]) -> Guarded:
    """Learn from all runs but the last, which is the one that faults happen to."""
    profiles = [
        profile_table(t, run=f"{i:04}", sample_rows=1024 if i == len(runs) - 2 else 0) for i, t in enumerate(runs[:-1])
    ]
    guard = Validator("memory:", config=Config())
    guard.remember(profiles, "t")
    return Guarded(name, runs[-1], runs[-2], profiles, guard.learning.programs("t"), Past.of(profiles))


def made(rows: int, columns: int, seed: int) -> Guarded:
    """A made table; the judge of a long one has learned from runs of fewer rows, or the bench would only profile."""
    stride = max(1, rows // 20_000)
    past = [shop(rows // stride, columns, day, seed) for day in range(PAST)]
    before, now = (shop(rows, columns, PAST + day, seed) for day in range(2))
    some = [t.take(pa.array(np.arange(0, rows, stride))) for t in (before, now)]
    return replace(guarded(f"made {rows:,} × {columns}", [*past, *some]), now=now, before=before, stride=stride)


def of_corpus(corpus: Path, seed: int, rows: int = 1000) -> Iterator[Guarded]:
    """The tables of the corpus whose runs have enough rows, in some order."""
    there = list(tables(corpus))
    for place in np.random.default_rng(seed).permutation(len(there)).tolist():
        table = there[place]
        good = table.good
        if len(good) < PAST + 2:
            continue
        whole = pq.read_table(table.path)
        last = good[-(PAST + 2) :]
        runs = [whole.filter(pc.equal(whole[RUN], r)).drop_columns([RUN, LABEL]) for r in last]
        if min(runs[-1].num_rows, runs[-2].num_rows) < rows:
            continue
        names = runs[-1].column_names
        if len(names) > WIDEST:
            runs = [r.select(names[:WIDEST]) for r in runs]
        yield guarded(table.name, runs)
