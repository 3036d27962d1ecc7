"""Histories to learn from: generated ones for laws, the demo's orders, and small ones for examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from tests.strategies import TYPES, VALUES, extreme

from byhistory.demo.orders import FIRST_DAY, orders
from byhistory.profile import TableProfile
from byhistory.rows.local import profile_table


def label(day: int) -> str:
    return (FIRST_DAY + timedelta(days=day)).isoformat()


@cache
def demo_table(day: int, rows: int = 400) -> Any:
    return orders(FIRST_DAY + timedelta(days=day), rows)


@cache
def demo_run(day: int, rows: int = 400) -> TableProfile:
    return profile_table(demo_table(day, rows), run=label(day))


def demo(days: int = 30, rows: int = 400) -> list[TableProfile]:
    """The orders of the shop, smaller than in the demo: the same every time."""
    return [demo_run(day, rows) for day in range(days)]


def history(make: Callable[[np.random.Generator, int], dict[str, Any]], runs: int, seed: int = 0) -> list[TableProfile]:
    """Runs labelled 00, 01, … made by a function of a generator and the number of the run."""
    random = np.random.default_rng(seed)  # noqa: TID251 - a test names its seed
    return [profile_table(make(random, i), run=f"{i:02}") for i in range(runs)]


def run(columns: dict[str, Any], at: int) -> TableProfile:
    return profile_table(columns, run=f"{at:02}")


@st.composite
def histories(draw: st.DrawFn, min_runs: int = 7, max_runs: int = 10) -> list[TableProfile]:
    """Small runs of one column of any kind: of ordinary values or of any float there is, with nulls, some empty."""
    kind = draw(st.sampled_from(list(TYPES)))
    values = draw(st.sampled_from([VALUES[kind], extreme] if kind == "numeric" else [VALUES[kind]]))
    usual = draw(st.lists(st.none() | values, min_size=1, max_size=12))  # runs have much in common, as in life
    runs = []
    for i in range(draw(st.integers(min_runs, max_runs))):
        own = draw(st.lists(st.none() | values, max_size=3))
        keep = draw(st.integers(0, len(usual)))
        runs.append(profile_table({"c": pa.array(usual[:keep] + own, TYPES[kind])}, run=f"{i:02}"))
    return runs


def clauses(program: Any) -> list[str]:
    return [c.metric for c in program.clauses]


def without_samples(runs: Sequence[TableProfile]) -> list[TableProfile]:
    return [TableProfile(r.run, r.rows, r.columns, r.notices) for r in runs]
