"""What does the end of a Parquet file say about its columns?

It is read without pyarrow, whose objects for columns end the whole process if one of their bytes is damaged (26.0:
"terminate called after throwing an instance of 'parquet::ParquetException'"). This is Thrift's compact protocol, as far
as Parquet uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAGIC = b"PAR1"
_TAIL = 64 << 10
"""Bytes at the end of a file that are read at once, as pyarrow does: the footer of a table of 2,000 columns."""
_DEEP = 16
"""How deep structs and lists may be nested; Parquet's own are six deep."""
_ENCODINGS = {0: "PLAIN", 2: "PLAIN_DICTIONARY", 3: "RLE", 4: "BIT_PACKED", 8: "RLE_DICTIONARY"}
# How Thrift numbers what a field holds.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_WHOLE_NUMBERS = (4, 5, 6)


@dataclass(frozen=True, slots=True)
class Part:
    """A column of a row group: whether it is compressed, its uncompressed bytes, and how it is encoded."""

    is_packed: bool
    bytes: int
    encodings: frozenset[str]


@dataclass(frozen=True, slots=True)
class Footer:
    """The rows of a file, and its columns."""

    rows: int
    parts: tuple[Part, ...]


def tail_of(file: Any) -> bytes:
    """The end of an open file with all of its footer; ValueError if there is none."""
    size = file.size()
    begin = max(0, size - _TAIL)
    file.seek(begin)
    tail = bytes(file.read(size - begin))
    long = _length(tail) + 8
    if long > size:
        raise ValueError(f"a footer of {long:,} bytes in a file of {size:,}")
    if long > len(tail):
        file.seek(size - long)
        tail = bytes(file.read(long))
    return tail


def read_footer(tail: bytes) -> Footer:
    """The content of a footer; ValueError or LookupError if it is damaged."""
    fields, _ = _struct(tail[: len(tail) - 8], len(tail) - 8 - _length(tail), 0)
    return Footer(_number(fields, 3), tuple(_parts(fields)))


def _length(tail: bytes) -> int:
    if len(tail) < 12 or tail[-4:] != MAGIC:
        raise ValueError("no end of a Parquet file")
    return int.from_bytes(tail[-8:-4], "little")


def _parts(fields: dict[int, Any]) -> Iterator[Part]:
    for group in fields.get(4, ()):
        for column in group[1]:
            about = column[3]
            names = frozenset(_ENCODINGS.get(one, f"encoding {one}") for one in about[2])
            yield Part(_number(about, 4) != 0, _number(about, 6), names)


def _number(fields: dict[int, Any], field: int) -> int:
    found = fields[field]
    if not isinstance(found, int):
        raise ValueError(f"{type(found).__name__} for a number")
    return found


def _struct(data: bytes, at: int, deep: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by their numbers, and where it ends."""
    found: dict[int, Any] = {}
    field = 0
    while (head := data[at]) != 0:
        at += 1
        field += head >> 4
        if not head >> 4:
            field, at = _zigzag(data, at)
        kind = head & 15
        found[field], at = (kind == _TRUE, at) if kind in (_TRUE, _FALSE) else _value(data, at, kind, deep)
    return found, at + 1


def _value(data: bytes, at: int, kind: int, deep: int) -> tuple[Any, int]:
    if kind in _WHOLE_NUMBERS:
        return _zigzag(data, at)
    if kind == _BINARY:
        long, at = _varint(data, at)
        return data[at : at + long], at + long
    if kind in (_TRUE, _FALSE, _BYTE):  # in a list, a truth is a byte
        return data[at], at + 1
    if kind == _DOUBLE:
        return data[at : at + 8], at + 8
    if deep >= _DEEP:
        raise ValueError("structs in structs without end")
    if kind == _STRUCT:
        return _struct(data, at, deep + 1)
    if kind in (_LIST, _SET):
        head, at = data[at], at + 1
        count, at = _varint(data, at) if head >> 4 == 15 else (head >> 4, at)
        items = []
        for _ in range(count):
            item, at = _value(data, at, head & 15, deep + 1)
            items.append(item)
        return items, at
    raise ValueError(f"a value of the unknown kind {kind}")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = data[at]
        at += 1
        found |= (byte & 127) << shift
        if byte < 128:
            return found, at
        shift += 7
        if shift > 63:
            raise ValueError("a number without end")


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    found, at = _varint(data, at)
    return (found >> 1) ^ -(found & 1), at
