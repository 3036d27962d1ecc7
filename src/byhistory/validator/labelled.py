"""Which columns of a table only tell its runs apart, and are no data?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from byhistory.validator.validator import Validator

RUN_COLUMN = "run_column"
"""The setting that keeps the run column of a backfill, so that a check knows that it is no data."""


def run_columns(guard: Validator, table: str) -> tuple[str, ...]:
    """The columns that tell runs apart, as in byhistory.toml or as the backfill had them."""
    given = guard.config.table(table).run_column or guard.records.kept(table, RUN_COLUMN) or ""
    return tuple(name.strip() for name in given.split(",") if name.strip())


def without_label(guard: Validator, rows: Any, table: str) -> Any:
    """The rows of a run (a DataFrame or an Arrow table) without the columns that tell runs apart."""
    asked = guard.config.table(table).include or ()
    names = rows.columns if hasattr(rows, "sparkSession") else rows.column_names
    dropped = [name for name in run_columns(guard, table) if name in names and name not in asked]
    return rows.drop(*dropped) if hasattr(rows, "sparkSession") else rows.drop_columns(dropped)
