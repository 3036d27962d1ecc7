"""Runs of a replayed table: under another label, with a fault in a column, or of a change that stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from byhistory.metrics import by_name
from byhistory.profile import Kind, TableProfile
from byhistory.profile.column import ColumnProfile


def labelled(run: TableProfile, label: str, columns: Sequence[str]) -> TableProfile:
    """The run under a label, with some of its columns."""
    return TableProfile(label, run.rows, {n: run.columns[n] for n in columns if n in run.columns})


def faulty(run: TableProfile, column: str) -> Iterator[TableProfile]:
    """The run with its numbers times 2, 10 and 100, and with three values in ten null: exact on the profile.

    None where the column has no values, or only zeros: what changes nothing is no fault.
    """
    now = run.columns[column]
    if not now.present or (now.numbers is not None and now.numbers.low == now.numbers.high == 0.0):
        return
    if now.kind is Kind.NUMERIC and now.numbers is not None and now.quantiles is not None:
        for factor in (2.0, 10.0, 100.0):
            yield replace(run, columns={**run.columns, column: scaled(now, factor)})
    nulls = now.nulls + round(0.3 * now.present)
    yield replace(run, columns={**run.columns, column: replace(now, nulls=nulls)})


def scaled(now: ColumnProfile, factor: float) -> ColumnProfile:
    """The profile of the same column in other units."""
    n, q = now.numbers, now.quantiles
    assert n is not None and q is not None  # noqa: PT018 - asked before
    numbers = replace(
        n, low=n.low * factor, high=n.high * factor, mean=n.mean * factor, spread=n.spread * factor, exact_sum=None
    )
    return replace(now, numbers=numbers, quantiles=replace(q, values=q.values * factor))


def stays(runs: Sequence[TableProfile], at: int, column: str) -> bool:
    """Whether what a column read in a run is nearer to the next run than to the runs before."""
    if at + 1 >= len(runs) or column not in runs[at].columns or column not in runs[at + 1].columns:
        return False
    now, then = runs[at].columns[column], runs[at + 1].columns[column]
    before = [r.columns[column] for r in runs[max(0, at - 7) : at] if column in r.columns]
    moved, back = 0, 0
    for name in ("mean", "complete_ratio", "unique_ratio", "row_count", "str_len", "top_value_ratio"):
        metric = by_name(name)
        known = [v for p in before if np.isfinite(v := metric(p))]  # type: ignore[call-arg]
        usual = float(np.median(known)) if known else np.nan
        here, next_ = metric(now), metric(then)  # type: ignore[call-arg]
        if np.isfinite([usual, here, next_]).all() and abs(here - usual) > 1e-9 * max(1.0, abs(usual)):
            moved += abs(next_ - here) < abs(next_ - usual)
            back += abs(next_ - here) >= abs(next_ - usual)
    return moved > back
