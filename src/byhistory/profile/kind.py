"""Which metrics make sense for a column."""

from __future__ import annotations

from enum import Enum


class Kind(str, Enum):
    """What a column holds, decided by its type in the schema unless the user says otherwise."""

    NUMERIC = "numeric"
    """Numbers: measured as a distribution on a line."""
    CATEGORICAL = "categorical"
    """Text and booleans: measured as a table of values, of patterns and of characters."""
    TEMPORAL = "temporal"
    """Dates and timestamps: measured as numbers, in seconds since 1970-01-01 UTC."""
    BINARY = "binary"
    """Bytes: size and distinct values only."""
    NESTED = "nested"
    """Arrays and maps: nulls and sizes only."""

    def __str__(self) -> str:
        return self.value


NUMBER_LIKE = frozenset({Kind.NUMERIC, Kind.TEMPORAL})
ALL_KINDS = frozenset(Kind)
