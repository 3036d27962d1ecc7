"""CSV as Spark reads it: the types of its columns, and their values in these types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from csv import reader
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from byhistory.files.reader import Declined
from byhistory.files.types import Struct, arrow_type

BLOCK = 8 << 20
"""Bytes of text that are parsed at once, by choice."""
Open = Callable[[str], AbstractContextManager[Any]]

_CLASSES = (
    ("whole", r"^-?[0-9]{1,19}$"),
    ("number", r"^-?[0-9]*\.[0-9]+([eE]-[0-9]{1,3})?$"),
    ("number", r"^-?[0-9]+[eE]-[0-9]{1,3}$"),
    ("number", r"^NaN$"),
    ("date", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    ("time", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"),
    (
        "zoned",
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-](0[0-9]|1[0-7]):[0-5][0-9])$",
    ),
    ("truth", r"(?i)^(true|false)$"),
)
"""Spellings that Java, Spark and Arrow read the same way."""
_CLOCKS = {"date": pa.date32(), "time": pa.timestamp("us"), "zoned": pa.timestamp("us", "UTC")}
"""Days and times must also exist in the calendar: 30 February is text."""
_TEXT = (
    r"^[^\p{Nd}\s\p{Z}\x00-\x1f+.TtFfNnIi-]",
    r"^([Tt]([^0-9Rr]|[Rr][^Uu])|[Ff][^Aa]|[Nn][^Aa]|[Ii][^Nn])",
    r"^[0-9]{1,3}[^\p{Nd}\s\p{Z}\x00-\x1f:.eEdDfFxX]",
    r"^[0-9]+([/_#;|()&%$@!*=?<>'~^]|-([0-9]{3}|[0-9]{0,2}[A-Za-z]))",
)
"""Spellings that are surely no number, time or truth value in Java either: one of them makes a column text."""
_TYPES = {
    frozenset({"number"}): "double",
    frozenset({"whole", "number"}): "double",
    frozenset({"date"}): "date",
    frozenset({"time"}): "timestamp",
    frozenset({"zoned"}): "timestamp",
    frozenset({"truth"}): "boolean",
    frozenset({"truth", "whole"}): "string",
    frozenset({"truth", "number"}): "string",
    frozenset({"truth", "whole", "number"}): "string",
    frozenset({"text"}): "string",
    frozenset(): "string",
}


def schema_of(paths: Sequence[str], open_: Open, sep: str, is_typed: bool) -> Struct:
    """The columns that the first line names, each with the type that fits all of its values."""
    names: list[str] = []
    columns: list[_Seen] = []
    for path in paths:
        with open_(path) as stream:
            own, found = _read(stream, path, sep)
            if names and own != names:
                raise Declined(f"the first line of {path} names other columns than that of {paths[0]}")
            names = own
            columns = columns or [_Seen(name) for name in names]
            for batch in found if is_typed else ():
                for seen, array in zip(columns, batch.columns, strict=True):
                    seen.add(array)
    return Struct(tuple((seen.name, seen.type if is_typed else "string", True) for seen in columns))


def arrays(
    stream: Any, path: str, sep: str, wanted: Sequence[tuple[tuple[str, ...], str]]
) -> Iterator[tuple[int, list[Any]]]:
    """The wanted columns in their types, batch by batch, each with its number of rows."""
    names, found = _read(stream, path, sep)
    at = [names.index(column[0]) for column, _ in wanted]
    for batch in found:
        yield batch.num_rows, [_typed(batch.column(i), type_, path) for i, (_, type_) in zip(at, wanted, strict=True)]


class _Seen:
    """What the values of a column look like so far. It is a class because they come batch by batch."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.classes: set[str] = set()
        self.is_unclear = self.is_long = False

    def add(self, array: Any) -> None:
        if "text" in self.classes:
            return
        rest = pc.unique(array).drop_null()
        for name, pattern in _CLASSES:
            fits = pc.match_substring_regex(rest, pattern)
            if not pc.any(fits).as_py():
                continue
            if name in _CLOCKS and not _can_be(rest.filter(fits), _CLOCKS[name]):
                self.classes = {"text"}
                return
            self.classes.add(name)
            if name == "whole":
                self._add_whole(rest.filter(fits))
            rest = rest.filter(pc.invert(fits))
        for pattern in _TEXT:
            if len(rest) and pc.any(pc.match_substring_regex(rest, pattern)).as_py():
                self.classes = {"text"}
                return
        self.is_unclear |= len(rest) > 0

    def _add_whole(self, texts: Any) -> None:
        try:
            low, high = pc.min_max(texts.cast(pa.int64())).values()
        except pa.ArrowInvalid:  # beyond 64 bits: a decimal to Spark
            self.is_unclear = True
            return
        self.is_long |= low.as_py() < -(2**31) or high.as_py() >= 2**31

    @property
    def type(self) -> str:
        """The type as Spark calls it; declined if it is not certain."""
        if self.classes == {"whole"} and not self.is_unclear:
            return "bigint" if self.is_long else "int"
        found = _TYPES.get(frozenset(self.classes))
        if found is None or (self.is_unclear and "text" not in self.classes):
            raise Declined(f"the values of {self.name!r} are spelt so that only Spark tells their type")
        return found


def _can_be(texts: Any, type_: Any) -> bool:
    try:
        texts.cast(type_)
    except pa.ArrowInvalid:
        return False
    return True


def _typed(array: Any, type_: str, path: str) -> Any:
    """Texts as values of a type."""
    target = arrow_type(type_, "UTC")
    if type_ == "string":
        return array
    try:
        if type_ == "timestamp":
            zoned = pc.match_substring_regex(array, r"(Z|[+-][0-9]{2}:[0-9]{2})$")
            is_zoned = bool(pc.any(zoned).as_py())
            return array.cast(pa.timestamp("us", "UTC" if is_zoned else None)).cast(pa.int64()).cast(target)
        return array.cast(target)
    except pa.ArrowInvalid as why:
        raise Declined(f"a value is no {type_} in {path}") from why


# ------------------------------------------------------------------------------------------------------- taking apart


def _read(stream: Any, path: str, sep: str) -> tuple[list[str], Iterator[Any]]:
    """The names in the first line, and the rest as batches of texts; an empty value without quotes is null."""
    text = _Checked(stream, path, sep)
    names = _names(text.first_line(), path, sep)
    return names, _batches(text, names, path, sep)


def _batches(text: _Checked, names: list[str], path: str, sep: str) -> Iterator[Any]:
    try:
        rows = csv.open_csv(
            pa.PythonFile(text, mode="r"),
            csv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=names),
            csv.ParseOptions(delimiter=sep, double_quote=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        for batch in rows:
            if len(names) == 1 and pc.any(pc.match_substring_regex(batch.column(0), r"^\s+$")).as_py():
                raise Declined(f"a line of {path} is blank")
            yield batch
    except pa.ArrowInvalid as why:
        if "Empty CSV" in str(why):  # names and no rows
            return
        raise Declined(f"{path} is no plain CSV ({' '.join(str(why).split())[:80]}…)") from why


def _names(line: bytes, path: str, sep: str) -> list[str]:
    if not line.strip():
        raise Declined(f"{path} has no first line with names")
    try:
        names = next(reader([line.decode("utf-8")], delimiter=sep))
    except UnicodeDecodeError as why:
        raise Declined(f"{path} is no text in UTF-8") from why
    if "" in names or len({name.lower() for name in names}) < len(names):
        raise Declined(f"the first line of {path} has a name twice, or a column without one")
    return names


class _Checked:
    """A file whose lines are checked while they are read: all must be plain, so that Spark and Arrow agree on them.

    Values may be in quotes; those that are contain no quotes, backslashes or line breaks.
    """

    closed = False

    def __init__(self, stream: Any, path: str, sep: str) -> None:
        self._stream, self._path = stream, path
        value = rf'(?:[^"{re.escape(sep)}]*|"[^"\\\r]*")'
        self._plain = re.compile(rf"{value}(?:{re.escape(sep)}{value})*\r?".encode())
        self._begun = b""
        """A line whose end has not come yet."""
        self._ready = b""

    def first_line(self) -> bytes:
        """The line with the names; `read` then gives the rest."""
        text = b""
        while True:
            block = bytes(self._stream.read(BLOCK))
            text += block
            text = text.lstrip(b"\r\n") if text[:3] != b"\xef\xbb\xbf" else text[3:].lstrip(b"\r\n")
            line, end, rest = text.partition(b"\n")
            if end or not block:
                break
        self._look(line + b"\n")
        self._ready = rest
        self._look(rest)
        return line.rstrip(b"\r")

    def read(self, size: int = -1) -> bytes:
        block, self._ready = self._ready, b""
        if not block:
            block = bytes(self._stream.read(BLOCK if size < 0 else size))
            self._look(block)
        return block

    def _look(self, block: bytes) -> None:
        if not block:
            self._look_at([self._begun])
            self._begun = b""
            return
        if b'"' not in block and b'"' not in self._begun:
            self._begun = block.rpartition(b"\n")[2] if b"\n" in block else self._begun + block
            return
        *lines, self._begun = (self._begun + block).split(b"\n")
        self._look_at(lines)

    def _look_at(self, lines: list[bytes]) -> None:
        for line in lines:
            if b'"' in line and self._plain.fullmatch(line) is None:
                raise Declined(f"{self._path} has quotes, backslashes or line breaks within quotes")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        pass
