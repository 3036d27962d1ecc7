"""Names of columns and metrics, checked as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.cli._settings import must_know
from byhistory.errors import ByHistoryError, did_you_mean

if TYPE_CHECKING:
    from byhistory.validator import Validator


def named(guard: Validator, table: str, column: str, metric: str, what: str) -> None:
    """Raise an error if there is no such column or metric: otherwise nobody would notice a misspelled one."""
    asked = f"{what} {column}.{metric} of {table!r}"
    must_know(guard, table, asked)
    programs = guard.learning.programs(table)
    if column != "*" and column not in programs:
        raise ByHistoryError(
            asked, f"no column {column!r}{did_you_mean(column, programs)}", "name one that `explain` lists"
        )
    names = guard.guarded(table).names
    if metric not in names:
        raise ByHistoryError(
            asked,
            f"no metric {metric!r}{did_you_mean(metric, names)}",
            "name one that `explain` or docs/reference/metrics.md has",
        )
