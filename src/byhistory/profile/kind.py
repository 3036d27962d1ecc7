"""Which metrics make sense for a column."""

from __future__ import annotations

import re
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


_IN_SPARK = {
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "uint8": "smallint",
    "uint16": "int",
    "uint32": "bigint",
    "uint64": "decimal(20,0)",
    "date32[day]": "date",
    "date64[ms]": "date",
    "null": "void",
}
"""Types as Arrow calls them, and what Spark calls such a column when it reads it from a file."""
_LIKE_SPARK = (
    (re.compile(r"(large_)?string(_view)?"), "string"),
    (re.compile(r"(large_)?binary(_view)?|fixed_size_binary\[\d+\]"), "binary"),
    (re.compile(r"timestamp\[\w+\]"), "timestamp_ntz"),
    (re.compile(r"timestamp\[\w+, tz=.*\]"), "timestamp"),
    (re.compile(r"decimal\d+\((\d+), (-?\d+)\)"), r"decimal(\1,\2)"),
)
_CODED = re.compile(r"dictionary<values=(.*), indices=\w+, ordered=\w>")
_LIST = re.compile(r"(?:large_)?list(?:_view)?<[^:]*: (.*?)(?: not null)?>")


def is_same_type(one: str, other: str) -> bool:
    """Whether two names of types are of the same one: what Arrow and Spark call differently is no change of a column.

    So a table may be judged from files on one day and from memory on the next, and texts may become `large_string`.

    >>> is_same_type("bigint", "int64"), is_same_type("timestamp[ns]", "timestamp[us]"), is_same_type("int64", "int32")
    (True, True, False)
    """
    return one == other or _as_in_spark(one) == _as_in_spark(other)


def _as_in_spark(type_: str) -> str:
    """What Spark calls a type; of nested ones, only what lists hold is translated.

    >>> _as_in_spark("dictionary<values=large_string, indices=int8, ordered=0>"), _as_in_spark("list<element: int32>")
    ('string', 'array<int>')
    >>> _as_in_spark("decimal128(9, 2)"), _as_in_spark("timestamp[us, tz=UTC]"), _as_in_spark("map<string,int>")
    ('decimal(9,2)', 'timestamp', 'map<string,int>')
    """
    if type_ in _IN_SPARK:
        return _IN_SPARK[type_]
    if coded := _CODED.fullmatch(type_):
        return _as_in_spark(coded[1])
    if listed := _LIST.fullmatch(type_):
        return f"array<{_as_in_spark(listed[1])}>"
    return next((found.expand(name) for form, name in _LIKE_SPARK if (found := form.fullmatch(type_))), type_)
