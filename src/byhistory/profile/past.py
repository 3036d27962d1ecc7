"""Past runs in the order they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from byhistory.profile.column import ColumnProfile
from byhistory.profile.table import TableProfile


def in_order(runs: Iterable[TableProfile]) -> list[TableProfile]:
    """The runs by label, each label once (the last given wins): the order of arrival does not matter.

    Labels are compared piece by piece, numbers as numbers, so that run 10 comes after run 9 and dates by date.

    >>> [r.run for r in in_order(TableProfile(run, 0, {}) for run in ("10", "9", "2026-01-02", "10"))]
    ['9', '10', '2026-01-02']
    """
    latest = {run.run: run for run in runs}
    return [latest[label] for label in sorted(latest, key=lambda label: (run_key(label), label))]


def run_key(label: str) -> tuple[tuple[int, int, str], ...]:
    """What to sort the labels of runs by."""
    return tuple(
        (0, int(p), "") if p.isascii() and p.isdigit() else (1, 0, p) for p in re.findall(r"[0-9]+|[^0-9]+", label)
    )


def column_over(runs: Sequence[TableProfile], column: str) -> list[ColumnProfile | None]:
    """One column through the runs, None where a run does not have it."""
    return [run.columns.get(column) for run in runs]
