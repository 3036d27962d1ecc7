"""Which columns of a table only tell its runs apart, and are no data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from byhistory.validator.validator import Validator

RUN_COLUMN = "run_column"
"""The setting under which a backfill leaves the column of its runs, so that a check knows it is no data."""


def run_columns(guard: Validator, table: str) -> tuple[str, ...]:
    """As in byhistory.toml, or as the backfill had them."""
    given = guard.config.table(table).run_column or guard.records.kept(table, RUN_COLUMN) or ""
    return tuple(name.strip() for name in given.split(",") if name.strip())


def without_label(guard: Validator, df: DataFrame, table: str) -> DataFrame:
    """The rows of a run without what tells it from others, which is new in every run."""
    asked = guard.config.table(table).include or ()
    return df.drop(*(name for name in run_columns(guard, table) if name in df.columns and name not in asked))
