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
    """Arrays and maps, and types whose values nothing is measured on (`is_opaque`): nulls and sizes only."""

    def __str__(self) -> str:
        return self.value


NUMBER_LIKE = frozenset({Kind.NUMERIC, Kind.TEMPORAL})
ALL_KINDS = frozenset(Kind)
_COLLECTIONS = ("array", "map", "list", "large_list", "fixed_size_list")


def is_opaque(kind: Kind, type_: str) -> bool:
    """Whether nothing is measured on the values of a column: only that it is there, its nulls and its size.

    >>> is_opaque(Kind.NESTED, "variant"), is_opaque(Kind.NESTED, "array<int>"), is_opaque(Kind.NUMERIC, "int")
    (True, False, False)
    """
    return kind is Kind.NESTED and not type_.startswith(_COLLECTIONS)
