"""Past runs in the order they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from byhistory.profile.column import ColumnProfile
from byhistory.profile.label import meaning
from byhistory.profile.table import TableProfile


def in_order(runs: Iterable[TableProfile]) -> list[TableProfile]:
    """The runs by label, each label once (the last given wins): the order of arrival does not matter.

    Labels are compared by what they mean: dates by date, whatever they look like, and run 10 comes after run 9.

    >>> [r.run for r in in_order(TableProfile(run, 0, {}) for run in ("10", "9", "2026-01-02", "10"))]
    ['9', '10', '2026-01-02']
    """
    latest = {run.run: run for run in runs}
    return [latest[label] for label in sorted(latest, key=lambda label: (run_key(label), label))]


def run_key(label: str) -> tuple[tuple[int, int, str], ...]:
    """What to sort the labels of runs by: what they mean (`byhistory.profile.label`), piece by piece.

    Digits are compared by how many there are, then as text: a number may be of any size.

    >>> sorted(["01.02.2026", "31.01.2026"], key=run_key)
    ['31.01.2026', '01.02.2026']
    """
    pieces = re.findall(r"[0-9]+|[^0-9]+", meaning(label).ordered)
    return tuple((0, *_number(p)) if p[0] in "0123456789" else (1, 0, p) for p in pieces)


@lru_cache(maxsize=4096)  # a check asks for those of all runs of its table several times
def sort_bytes(label: str) -> bytes:
    """The same order as bytes, for a database to sort by.

    >>> labels = ["10", "9", "a10", "a9", "2026-1-2", ""]
    >>> sorted(labels, key=sort_bytes) == sorted(labels, key=run_key)
    True
    """
    numbers_and_texts = (
        b"\1" + size.to_bytes(4, "big") + piece if kind == 0 else b"\2" + piece + b"\0"
        for kind, size, piece in ((k, n, text.encode("utf-8", "replace")) for k, n, text in run_key(label))
    )
    return b"".join(numbers_and_texts)


def _number(digits: str) -> tuple[int, str]:
    digits = digits.lstrip("0")
    return len(digits), digits


def column_over(runs: Sequence[TableProfile], column: str) -> list[ColumnProfile | None]:
    """One column through the runs, None where a run does not have it."""
    return [run.columns.get(column) for run in runs]
