"""Which type does Spark give a column of a Parquet file, and which Arrow type is that?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pyarrow as pa
import pyarrow.types as pt

from byhistory.profile import Kind

UNKNOWN = "unknown"
"""A type that Spark does not read, or for which it is not known what Spark does."""


Nanos = Literal["", "long", "time"]
"""What times in nanoseconds are read as: nothing or whole numbers with Spark, times without Spark."""


@dataclass(frozen=True, slots=True)
class Struct:
    """A type with named parts. All other types are written as Spark does, such as `map<string,int>`."""

    fields: tuple[tuple[str, SparkType, bool], ...]
    """Name, type, and whether it may be null."""

    def __str__(self) -> str:
        """The type as Spark writes it.

        >>> str(Struct((("a", "int", True), ("b", Struct((("c", "string", True),)), True))))
        'struct<a:int,b:struct<c:string>>'
        """
        return f"struct<{','.join(f'{name}:{type_}' for name, type_, _ in self.fields)}>"


SparkType = str | Struct


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column that can be measured: dotted name, the names on the way to it, type, and whether it may be null."""

    name: str
    path: tuple[str, ...]
    type: str
    nullable: bool


def leaves(schema: Struct) -> list[Leaf]:
    """All columns of a schema in order; in place of a struct, the columns below it.

    >>> [leaf.name for leaf in leaves(Struct((("a", "int", True), ("s", Struct((("x", "int", True),)), True))))]
    ['a', 's.x']
    """
    return list(_leaves(schema, (), False))


def _leaves(schema: Struct, above: tuple[str, ...], nullable: bool) -> Iterator[Leaf]:
    for name, type_, can_be_null in schema.fields:
        path = (*above, name)
        if isinstance(type_, Struct) and type_.fields:
            yield from _leaves(type_, path, nullable or can_be_null)
        else:
            yield Leaf(".".join(path), path, str(type_), nullable or can_be_null)


# ----------------------------------------------------------------------------------------------- what Spark writes down

_WORDS = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint", "null": "void"}
"""Types that Spark calls differently in JSON and in SQL."""
_NONE: Mapping[str, str] = {}
_DECIMAL = re.compile(r"decimal\((\d+),(-?\d+)\)")
_COLLATED = re.compile(r" collate \w+")


def from_json(text: str) -> Struct:
    """A schema as Spark writes it into the footer of its files, and as `DataFrame.schema.json()` gives it.

    >>> str(from_json('{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}}]}'))
    'struct<a:bigint>'
    """
    found = _from_json(json.loads(text))
    if not isinstance(found, Struct):
        raise ValueError(f"a schema is a struct, not {found}")
    return found


def _from_json(type_: Any, collations: Mapping[str, str] = _NONE, at: str = "") -> SparkType:
    """A type; `collations` says for texts, by the path to them, how they are compared: `spark.UTF8_LCASE`."""
    if isinstance(type_, str):
        collated = f" collate {collations[at].rpartition('.')[2]}" if at in collations else ""
        return _WORDS.get(type_, type_) + collated
    if type_["type"] == "struct":
        return Struct(tuple((f["name"], _field(f), bool(f["nullable"])) for f in type_["fields"]))
    below = partial(_from_json, collations=collations)
    if type_["type"] == "array":
        return f"array<{below(type_['elementType'], at=f'{at}.element')}>"
    if type_["type"] == "map":
        return f"map<{below(type_['keyType'], at=f'{at}.key')},{below(type_['valueType'], at=f'{at}.value')}>"
    return UNKNOWN  # types that users define


def _field(field: Any) -> SparkType:
    """The type of a field; how its texts are compared is noted in the metadata, not in the type."""
    return _from_json(field["type"], collations=field.get("metadata", {}).get("__COLLATIONS", {}), at=field["name"])


# ----------------------------------------------------------------------------------------------- what a Parquet file is


@dataclass(frozen=True, slots=True)
class Place:
    """A column in a file: its type, the number of its first leaf, by which a reader asks for it, and its fields."""

    type: SparkType
    leaf: int
    below: tuple[tuple[str, Place], ...] = ()


def places(schema: Any, arrow: Any, nanos: Nanos) -> list[tuple[str, Place]]:
    """The top-level columns of a Parquet schema, with the types that Spark gives them.

    The Arrow schema of the file only tells the shape: which types Spark gives follows from the physical and logical
    types, since Spark ignores what other programs note about their own types.
    """
    numbers = iter(range(len(schema)))

    def of(type_: Any) -> Place:
        while isinstance(type_, pa.BaseExtensionType):  # such as those of pandas: Spark sees how they are stored
            type_ = type_.storage_type
        if pt.is_struct(type_):
            inner = tuple((f.name, of(f.type)) for f in type_)
            first = inner[0][1].leaf if inner else -1
            return Place(Struct(tuple((name, place.type, True) for name, place in inner)), first, inner)
        if pt.is_map(type_):
            key, item = of(type_.key_type), of(type_.item_type)
            return Place(f"map<{key.type},{item.type}>", key.leaf)
        if any(is_list(type_) for is_list in _LISTS):
            element = of(type_.value_type)
            return Place(f"array<{element.type}>", element.leaf)
        leaf = next(numbers)
        return Place(type_of(schema.column(leaf), nanos), leaf)

    return [(field.name, of(field.type)) for field in arrow]


_LISTS = tuple(
    getattr(pt, name)
    for name in ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    if hasattr(pt, name)  # old Arrow has no views
)


def type_of(column: Any, nanos: Nanos) -> str:
    """The type that Spark gives a Parquet column, with its default settings except for nanoseconds."""
    logical = column.logical_type
    known = _BY_LOGICAL.get((column.physical_type, logical.type))
    if known is not None:
        return known
    details = json.loads(logical.to_json())
    if logical.type == "INT":
        signed, bits = details["isSigned"], details["bitWidth"]
        return (_SIGNED if signed else _UNSIGNED).get((column.physical_type, bits), UNKNOWN)
    if logical.type == "DECIMAL":
        return f"decimal({details['precision']},{details['scale']})" if details["precision"] <= 38 else UNKNOWN
    if logical.type == "TIMESTAMP":
        if details["timeUnit"] == "nanoseconds" and nanos != "time":
            return "bigint" if nanos == "long" else UNKNOWN
        return "timestamp" if details["isAdjustedToUTC"] else "timestamp_ntz"
    return "int" if has_no_values(column) and column.physical_type == "INT32" else UNKNOWN


def has_no_values(column: Any) -> bool:
    """Whether a Parquet column declares that it is all nulls, which pyarrow tells only in JSON."""
    return bool(json.loads(column.logical_type.to_json())["Type"] == "Null")


_BY_LOGICAL = {
    ("BOOLEAN", "NONE"): "boolean",
    ("INT32", "NONE"): "int",
    ("INT32", "DATE"): "date",
    ("INT64", "NONE"): "bigint",
    ("INT96", "NONE"): "timestamp",
    ("FLOAT", "NONE"): "float",
    ("DOUBLE", "NONE"): "double",
    ("BYTE_ARRAY", "NONE"): "binary",
    ("BYTE_ARRAY", "STRING"): "string",
    ("BYTE_ARRAY", "ENUM"): "string",
    ("BYTE_ARRAY", "JSON"): "string",
    ("BYTE_ARRAY", "BSON"): "binary",
    ("FIXED_LEN_BYTE_ARRAY", "NONE"): "binary",
}
_SIGNED = {("INT32", 8): "tinyint", ("INT32", 16): "smallint", ("INT32", 32): "int", ("INT64", 64): "bigint"}
_UNSIGNED = {("INT32", 8): "smallint", ("INT32", 16): "int", ("INT32", 32): "bigint", ("INT64", 64): "decimal(20,0)"}


_WIDER = {"smallint": 1, "int": 2, "bigint": 3}
_FITS = {"tinyint": (0, 3), "smallint": (1, 5), "int": (2, 10), "bigint": (3, 20)}
"""Whole numbers: their order, and how many digits they need in a decimal."""


def widens(narrow: str, wide: str) -> bool:
    """Whether all values of a type are exact in another, as which Spark then reads them, or not at all.

    >>> widens("int", "bigint"), widens("bigint", "double"), widens("decimal(5,2)", "decimal(9,3)")
    (True, False, True)
    """
    if narrow in _FITS and wide in _WIDER:
        return _FITS[narrow][0] <= _WIDER[wide]
    if wide == "double":
        return narrow == "float" or (narrow in _FITS and narrow != "bigint")
    room = _precision(wide)
    have = (_FITS[narrow][1], 0) if narrow in _FITS else _precision(narrow)
    return room is not None and have is not None and have[1] <= room[1] and have[0] - have[1] <= room[0] - room[1]


def _precision(type_: str) -> tuple[int, int] | None:
    found = _DECIMAL.fullmatch(type_)
    return (int(found[1]), int(found[2])) if found else None


# ------------------------------------------------------------------------------------------- what a type means to us

_KINDS = {
    Kind.NUMERIC: ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"),
    Kind.CATEGORICAL: ("string", "boolean", "void"),
    Kind.TEMPORAL: ("date", "timestamp", "timestamp_ntz"),
    Kind.BINARY: ("binary",),
    Kind.NESTED: ("array", "map"),
}
_KIND = {word: kind for kind, words in _KINDS.items() for word in words}


def kind_of(type_: str) -> Kind | None:
    """The kind of column for a type of Spark; None if nothing is measured on it.

    >>> kind_of("decimal(7,2)"), kind_of("array<int>"), kind_of("variant")
    (<Kind.NUMERIC: 'numeric'>, <Kind.NESTED: 'nested'>, None)
    """
    return _KIND.get(re.split(r"[(<]", plain(type_))[0])


_ARROW = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp_ntz": pa.timestamp("us"),
    "void": pa.string(),
}


def arrow_type(type_: str, zone: str) -> Any:
    """The Arrow type in which Spark gives a type, with the time zone of the session; None if it cannot.

    Of arrays and maps only the sizes are given.

    >>> arrow_type("decimal(7,2)", "UTC"), arrow_type("map<string,int>", "UTC")
    (Decimal128Type(decimal128(7, 2)), DataType(int32))
    """
    if type_ == "timestamp":
        return pa.timestamp("us", zone)
    decimal = _precision(type_)
    if decimal:
        return pa.decimal128(*decimal)
    return pa.int32() if kind_of(type_) is Kind.NESTED else _ARROW.get(plain(type_))


def plain(type_: str) -> str:
    """A type without the words that say how its texts are compared, which files do not have.

    >>> plain("map<string collate UTF8_LCASE,int>")
    'map<string,int>'
    """
    return _COLLATED.sub("", type_)
