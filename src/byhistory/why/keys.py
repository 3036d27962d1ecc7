"""What does a table's key tell? Which rows came twice, which are gone, and which are new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from byhistory.profile import Kind, TableProfile
from byhistory.profile.arrays import Hashes
from byhistory.rows.hashing import hash_words
from byhistory.why.features import type_of
from byhistory.why.parts import hashed, plain

NEARLY = 0.95
"""A column may be a key if its distinct values are more than this share of its rows (a choice): a profile's count is
only accurate to a few per cent."""
UNIQUE = 0.999
"""It is a key if, in the run before, this share of its rows has a value that no other row has (a choice)."""
STAYS = 0.5
"""Rows stay from run to run if this share of the former keys is there again (a choice); else every run has its own
keys."""
_SEED = np.uint64(0x2545F4914F6CDD1D)
"""An odd number without pattern, by choice (the multiplier of xorshift64*): only that it stays the same matters."""

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keys:
    """How the keys of a run compare with those of the run before, in rows; estimated where only a sample was looked at.

    `gone` and `new` are nan where every run has keys of its own.
    """

    columns: Key
    again: float
    """Rows with the key of an earlier row of the run."""
    gone: float
    new: float
    before: float
    """How many rows the run before had."""
    is_estimate: bool = False

    def __str__(self) -> str:
        about = "about " if self.is_estimate else ""
        parts = []
        if self.again:
            parts.append(f"{about}{self.again:,.0f} rows have a key that another row has")
        if self.gone > 0:
            parts.append(f"{about}{self.gone:,.0f} of {self.before:,.0f} keys of the run before are gone")
        if self.new > 0:
            parts.append(f"{about}{self.new:,.0f} are new")
        name = ", ".join(map(repr, self.columns))
        return f"By the key {name}: {'; '.join(parts) or 'every row is there once, as in the run before'}."

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is undefined is null."""
        return {
            "columns": list(self.columns),
            "again": self.again,
            "gone": None if np.isnan(self.gone) else self.gone,
            "new": None if np.isnan(self.new) else self.new,
            "is_estimate": self.is_estimate,
        }


def likely_key(profile: TableProfile | None) -> Key:
    """The column that probably identifies rows, by its profile: text or whole numbers, nearly all distinct, never
    null.
    """
    if profile is None or not profile.rows:
        return ()
    fits = [n for n in profile if _may_be_key(profile, n)]
    return (max(fits, key=lambda n: round(profile[n].distinct / profile.rows, 2)),) if fits else ()


def _may_be_key(profile: TableProfile, name: str) -> bool:
    column = profile[name]
    is_whole = column.type.lower().startswith(("int", "bigint", "long", "smallint", "uint", "tinyint", "short"))
    can_identify = column.kind is Kind.CATEGORICAL or is_whole
    return can_identify and not column.nulls and column.distinct > NEARLY * profile.rows


def tells_rows_apart(table: Any, key: Sequence[str]) -> bool:
    """Whether some columns identify the rows of an Arrow table.

    >>> import pyarrow as pa
    >>> tells_rows_apart(pa.table({"id": [1, 2, 3], "n": [1, 1, 2]}), ["id"])
    True
    """
    if not key or not table.num_rows or any(name not in table.column_names for name in key):
        return False
    return bool(len(np.unique(of_rows(table, key))) >= UNIQUE * table.num_rows)


def of_rows(table: Any, key: Sequence[str]) -> Hashes:
    """The key of each row as a 64-bit number, the same in every run."""
    rows: Hashes = np.zeros(table.num_rows, np.uint64)
    for name in key:
        rows = hash_words(rows ^ _of_column(table.column(name)), _SEED)
    return rows


def _of_column(column: Any) -> Hashes:
    array = plain(column)
    return hashed(array if type_of(array.type) in ("text", "whole") else array.cast("string"))


def compare(now: Any, before: Any, key: Key, scales: tuple[float, float]) -> Keys | None:
    """Compare the keys of two runs; `scales` are how many rows each row of a sample stands for.

    None if the columns do not identify the rows of the run before. Samples must be of keys, and have the same ones.
    """
    if not tells_rows_apart(before, key) or any(name not in now.column_names for name in key):
        return None
    here, counts = np.unique(of_rows(now, key), return_counts=True)
    there = np.unique(of_rows(before, key))
    shared = len(np.intersect1d(here, there, assume_unique=True))
    stay = shared >= STAYS * min(len(here), len(there)) if len(here) else False
    return Keys(
        key,
        float(round((counts.sum() - len(here)) * scales[0])),
        float(round((len(there) - shared) * scales[1])) if stay else np.nan,
        float(round((len(here) - shared) * scales[0])) if stay else np.nan,
        float(round(len(there) * scales[1])),
        max(scales) > 1.0,
    )
