"""What do the folders above a file say about its rows? (As Spark reads them, without Spark.)"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""How a folder says that its rows have no value in the column."""


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

_EXACT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
"""A number as Java's BigDecimal reads it: in digits of any script."""
_DOUBLE = re.compile(
    r"[\x00- ]*(?:([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?|([+-]?(?:NaN|Infinity)))[\x00- ]*"
)
"""A number as Java's Double reads it, except those in base 16: `7d` is one, too."""
_DATE = re.compile(r"-?[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9])?")
_MOST_DIGITS = 38
"""Digits of a decimal in Spark."""
_FAR = "time of a path"
"""Dates and times before the year 1, which Python does not have: they make labels, and are not measured."""
_WIDER = (
    ("int", {"int"}),
    ("bigint", {"int", "bigint"}),
    ("decimal", {"int", "bigint", "decimal"}),
    ("double", {"int", "double"}),
    ("date", {"date"}),
    ("timestamp", {"date", "timestamp"}),
    (_FAR, {"date", "timestamp", _FAR}),
)
"""Which types fit into which, the narrowest first; anything else is text."""


def type_of(values: Sequence[str]) -> str:
    """The type that Spark infers from values in paths: the narrowest that has room for all.

    >>> type_of(["1", "02"]), type_of(["1", "1.5"]), type_of(["2026-05-01", NO_VALUE]), type_of(["1", "x"])
    ('int', 'double', 'date', 'string')
    >>> type_of(["2026-05-01 10%3A00%3A00"]), type_of(["1", "2e5"]), type_of(["7d", "30d"]), type_of([NO_VALUE])
    ('timestamp', 'decimal(10,0)', 'double', 'void')
    """
    given = {v for v in values if v != NO_VALUE}
    kinds = {_single(v) for v in given}
    if not kinds:
        return "void"
    kind = next((kind for kind, fits in _WIDER if kinds <= fits), "string")
    return f"decimal({max(map(_room, given))},0)" if kind == "decimal" else kind


def _single(value: str) -> str:
    if _EXACT.fullmatch(value):
        number = Decimal(value)
        if not _is_whole(number):
            return "double" if _DOUBLE.fullmatch(value) else "string"
        if value.lstrip("+-").isdecimal() and -(2**63) <= number < 2**63:
            return "int" if -(2**31) <= number < 2**31 else "bigint"
        return "decimal"
    if _DOUBLE.fullmatch(value):
        return "double"
    if _TIME.fullmatch(unescaped(value)):
        return _kind(unescaped(value), "timestamp")
    return _kind(value, "date") if _DATE.fullmatch(value) else "string"


def _is_whole(number: Decimal) -> bool:
    """Whether it is a decimal to Spark, which reads only those that are written as whole numbers."""
    exponent = number.as_tuple().exponent
    return isinstance(exponent, int) and exponent >= 0 and _digits(number) <= _MOST_DIGITS


def _digits(number: Decimal) -> int:
    _, digits, exponent = number.as_tuple()
    return len(digits) + int(exponent)


def _room(value: str) -> int:
    """How many digits a whole number of any type has in a decimal."""
    return {"int": 10, "bigint": 20}.get(_single(value)) or _digits(Decimal(value))


def _kind(text: str, kind: str) -> str:
    """The kind whose form a text has, if it is a day of the calendar and a time of the clock."""
    before_the_first = text.startswith(("-", "0000"))
    try:
        _time("2000" + text.lstrip("-")[4:] if before_the_first else text)
    except ValueError:
        return "string"
    return _FAR if before_the_first else kind


def _time(text: str) -> dt.datetime:
    form = "%Y-%m-%d %H:%M:%S.%f" if "." in text else "%Y-%m-%d %H:%M:%S" if " " in text else "%Y-%m-%d"
    return dt.datetime.strptime(text, form)  # noqa: DTZ007 - a clock on the wall, as it is written


def value_of(value: str, type_: str) -> Any:
    """The value of a folder in its type; None if it says that there is none.

    >>> value_of("02", "int"), value_of("a%20b", "string"), value_of(NO_VALUE, "date"), value_of("1e5", "decimal(6,0)")
    (2, 'a b', None, 100000)
    """
    if value == NO_VALUE:
        return None
    if type_ == "date":
        return dt.date.fromisoformat(value)
    if type_ == "timestamp":
        return _time(unescaped(value))
    if type_ == "double":
        found = _DOUBLE.fullmatch(value)
        return float((found[1] or found[2]) if found else value)
    return int(Decimal(value)) if type_ in ("int", "bigint") or type_.startswith("decimal") else unescaped(value)


# ------------------------------------------------------------------------------------------------------------- labels


def label_of(values: Sequence[Any]) -> str | None:
    """The label of a run from the values of its columns, as `byhistory.spark.read.label_of` gives it.

    >>> label_of([2026, 5, "x"]), label_of([5]), label_of([None])
    ('2026-05-0x', '5', None)
    """
    texts = [None if v is None else _written(v) for v in values]
    if len(texts) == 1:
        return texts[0]
    return "-".join(t.rjust(2, "0") for t in texts if t is not None)


_NO_NUMBER = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _written(value: Any) -> str:
    """A value as Spark writes it; very large and very small floats as Java does.

    >>> _written(1.5), _written(2e7), _written(1.25e-5), _written(float("nan"))
    ('1.5', '2.0E7', '1.25E-5', 'NaN')
    >>> _written(dt.datetime(2026, 5, 1, 10, 0, 0, 500_000))
    '2026-05-01 10:00:00.5'
    """
    if isinstance(value, float):
        plain = repr(value)
        if not value or 1e-3 <= abs(value) < 1e7 or plain in _NO_NUMBER:
            return _NO_NUMBER.get(plain, plain)
        digits, _, power = f"{Decimal(plain).normalize():e}".partition("e")
        return f"{digits if '.' in digits else digits + '.0'}E{int(power)}"
    if isinstance(value, dt.datetime):
        return value.isoformat(" ").rstrip("0").rstrip(".") if value.microsecond else value.isoformat(" ")
    return value.isoformat() if isinstance(value, dt.date) else str(value)
