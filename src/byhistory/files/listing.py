"""Which files does a path mean, and what do their folders say of their rows? (As Spark answers it, without Spark.)"""

from __future__ import annotations

import datetime as dt
import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

from byhistory.errors import BadInput, ByHistoryError
from byhistory.files.piece import Piece
from byhistory.files.storage import Storage, file_system, plain_path, scheme_of

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""How a folder says that its rows have no value in the column."""
SUMMARIES = ("_common_metadata", "_metadata")
"""Files that have no rows, but the schema of those that do; asked first."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files with rows in the order of their paths, and the columns that are in their paths, with their types."""

    files: tuple[Piece, ...]
    columns: tuple[tuple[str, str], ...]
    first: str
    """The file whose schema is the table's."""


def listed_files(path: str, storage: Storage) -> Listing:
    """The files at a path, or of the paths that fit a pattern; hidden ones (`.x`, `_x`) do not count.

    A folder named `day=2026-05-01` below the path gives all its rows that value in the column `day`. Of a folder
    without such folders, only the files right in it count.
    """
    found: list[tuple[str, int, tuple[tuple[str, str], ...]]] = []
    summaries: list[str] = []
    for root in _roots(path):
        files = files_below(root, path, storage)
        summaries += [name for name, _ in files if PurePosixPath(name).name in SUMMARIES]
        rows = [(name, size) for name, size in files if PurePosixPath(name).name not in SUMMARIES]
        keyed = [(name, size, keys_in(name, root)) for name, size in rows]
        if not any(keys for _, _, keys in keyed):
            keyed = [k for k in keyed if k[0] == root or str(PurePosixPath(k[0]).parent) == str(PurePosixPath(root))]
        found += keyed
    if not found:
        raise ByHistoryError(f"read the files of {path}", "no file there", "give a path that exists and has files")
    names = {tuple(name for name, _ in keys) for _, _, keys in found}
    if len(names) > 1:
        some = " and ".join(sorted("/".join(one) or "no such column" for one in names)[:2])
        raise BadInput(
            f"read the files of {path}", f"different columns in their paths: {some}", "name one of the folders"
        )
    found.sort()
    types = tuple((name, type_of([keys[i][1] for _, _, keys in found])) for i, name in enumerate(names.pop()))
    pieces = tuple(
        Piece(name, size, "", tuple(value_of(v, type_) for (_, v), (_, type_) in zip(keys, types, strict=True)))
        for name, size, keys in found
    )
    first = next((s for kind in SUMMARIES for s in sorted(summaries) if s.endswith(kind)), found[0][0])
    return Listing(pieces, types, first)


def _roots(path: str) -> list[str]:
    """The path, or those that a pattern means."""
    if scheme_of(path) != "file" or not glob.has_magic(plain_path(path)):
        return [path if scheme_of(path) != "file" else plain_path(path)]
    found = sorted(glob.glob(plain_path(path)))  # noqa: PTH207 - a pattern of a user, which may begin anywhere
    return [root for root in found if not is_hidden(PurePosixPath(root).name)]


def files_below(root: str, path: str, storage: Storage) -> list[tuple[str, int]]:
    """All files below a folder that are not hidden, with their sizes; the file itself if it is one."""
    from pyarrow import fs

    system = file_system(path, storage)
    top = plain_path(root).rstrip("/")
    info = system.get_file_info(top)
    if info.type == fs.FileType.File:
        return [(root, info.size)]
    if info.type == fs.FileType.NotFound:
        return []
    inside = system.get_file_info(fs.FileSelector(top, recursive=True))
    at = len(top) + 1
    return [
        (root.rstrip("/") + "/" + file.path[at:], file.size)
        for file in inside
        if file.type == fs.FileType.File and not any(is_hidden(part) for part in file.path[at:].split("/"))
    ]


def is_hidden(name: str) -> bool:
    """Whether Spark leaves a file or folder of this name out.

    >>> [is_hidden(n) for n in ("_SUCCESS", ".part.crc", "_day=1", "_metadata", "part-0.parquet")]
    [True, True, False, False, False]
    """
    if name in SUMMARIES:
        return False
    return (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_")


def keys_in(name: str, root: str) -> tuple[tuple[str, str], ...]:
    """The columns in the folders above a file, from the top down, with their values as written."""
    keys: list[tuple[str, str]] = []
    for folder in reversed(name[len(root) :].strip("/").split("/")[:-1]):
        column, equals, value = folder.partition("=")
        if equals and column and value:
            keys.append((unescaped(column), value))
        elif keys:
            break
    return tuple(reversed(keys))


def unescaped(text: str) -> str:
    """A name or value as it was before it became part of a path, as Spark takes it: a character for each `%XX`.

    >>> unescaped("a%2Fb 100%"), unescaped("%C3%A4")
    ('a/b 100%', 'Ã¤')
    """
    return re.sub("%([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), text)


# ----------------------------------------------------------------------------------------------------- types of values

_INT = re.compile(r"[+-]?\d+")
_DOUBLE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{1,2}:")


def type_of(values: Sequence[str]) -> str:
    """The type that Spark infers from values in paths: the narrowest that has room for all.

    Numbers beyond 64 bits and timestamps, which Spark knows there too, can make a label here, and are not measured.

    >>> type_of(["2026-05-01 10%3A00%3A00"]), type_of(["99999999999999999999"])
    ('timestamp of a path', 'decimal of a path')
    >>> type_of(["1", "02"]), type_of(["1", "1.5"]), type_of(["2026-05-01", NO_VALUE]), type_of(["1", "x"])
    ('int', 'double', 'date', 'string')
    """
    kinds = {_single(v) for v in values if v != NO_VALUE}
    for kind, fits in (("int", {"int"}), ("bigint", {"int", "bigint"}), ("double", {"int", "bigint", "double"})):
        if kinds and kinds <= fits:
            return kind
    if "time" in kinds and kinds <= {"time", "date"}:
        return "timestamp of a path"
    if "decimal" in kinds and kinds <= {"int", "bigint", "decimal", "double"}:
        return "decimal of a path"
    return "date" if kinds == {"date"} else "string"


def _single(value: str) -> str:
    if _INT.fullmatch(value):
        size = abs(int(value) + (int(value) < 0))
        return "int" if size < 2**31 else "bigint" if size < 2**63 else "decimal"
    if _DOUBLE.fullmatch(value):
        return "double"
    if _TIME.match(unescaped(value)):
        return "time"
    return "date" if _DATE.fullmatch(value) and _date(value) is not None else "string"


def _date(value: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(value)
    except ValueError:
        return None


def value_of(value: str, type_: str) -> Any:
    """The value of a folder in its type; None if it says that there is none.

    >>> value_of("02", "int"), value_of("a%20b", "string"), value_of(NO_VALUE, "date")
    (2, 'a b', None)
    """
    if value == NO_VALUE:
        return None
    if type_ == "date":
        return _date(value)
    return int(value) if type_ in ("int", "bigint") else float(value) if type_ == "double" else unescaped(value)


def label_of(values: Sequence[Any]) -> str | None:
    """The label of a run from the values of its columns, as `byhistory.spark.read.label_of` gives it.

    >>> label_of([2026, 5, "x"]), label_of([5]), label_of([None])
    ('2026-05-0x', '5', None)
    """
    texts = [None if v is None else _written(v) for v in values]
    if len(texts) == 1:
        return texts[0]
    return "-".join(t.rjust(2, "0") for t in texts if t is not None)


def _written(value: Any) -> str:
    """As Spark writes a value; very large and very small floats the way Java does.

    >>> _written(1.5), _written(2e7), _written(1.25e-5)
    ('1.5', '2.0E7', '1.25E-5')
    """
    if isinstance(value, float) and value and not 1e-3 <= abs(value) < 1e7:
        digits, _, power = f"{Decimal(repr(value)).normalize():e}".partition("e")
        return f"{digits if '.' in digits else digits + '.0'}E{int(power)}"
    return value.isoformat() if isinstance(value, dt.date) else str(value)
