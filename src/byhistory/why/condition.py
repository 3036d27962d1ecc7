"""One condition on a row: a value, a range, a pattern, null or not null."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.plain import inert_json, is_control
from byhistory.profile.arrays import Bools, Floats
from byhistory.why.parts import numbers_of, patterns_of
from byhistory.why.written import FORMATS, HOUR_AT, seconds_of

Part = Literal["value", "hour", "weekday", "pattern", "null"]
"""The part of a column that is looked at: the value itself, something derived from it, or whether it is null."""

Value = str | float | int | bool
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TIMES = ("date", "time", "local time")
"""The types of conditions on dates and times."""
_LISTED = 4
"""The most values that a condition names (a choice)."""
_CLASSES = {"l": r"[\p{L}\p{M}]+", "d": r"\p{N}+", "-": r"[\p{P}\p{S}]+", "_": r"[\p{Z}\t\n\r\x0B\f]+"}
"""The classes of characters in a pattern, as Java's regular expressions write them."""
_FILLED_IN = "${"
"""Spark puts a setting, or a variable of its environment, in place of `${…}` before it reads SQL, even in a text."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
"""The epoch of Arrow's dates and times."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row must have in one column, in words, in SQL, and as a test on rows.

    `values` are the allowed values (true or false for the part "null"); a range is from `low` to below `high`, and one
    end of it may be open. Dates and times are in seconds since 1970; if they are texts, `written` is their format (of
    `strftime`), and their order is that of their times. `path` is the column's name, or the names down to
    it within a struct. Null meets no condition but the one that asks for it.

    >>> c = Condition(("source",), "text", values=("mobile",))
    >>> str(c), c.sql()
    ("source = 'mobile'", "`source` = 'mobile'")
    >>> str(Condition(("n",), "whole", low=5.0)), Condition(("n",), "whole", low=5.0).sql()
    ('n ≥ 5', '`n` >= 5')
    """

    path: tuple[str, ...]
    type: Literal["text", "boolean", "whole", "number", "date", "time", "local time", "other"]
    part: Part = "value"
    values: tuple[Value, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    written: str = ""

    @property
    def column(self) -> str:
        """The name of the column, with dots if it is within a struct."""
        return ".".join(self.path)

    @property
    def ends(self) -> tuple[float, ...]:
        """The two ends of the range."""
        return self.low, self.high

    def __str__(self) -> str:
        """The condition in words."""
        name = f"{self.part} of {self.column}" if self.part in ("hour", "weekday") else self.column
        if not self.values:
            return self._range(name)
        if self.part == "null":
            return f"{name} is {'missing' if self.values[0] else 'present'}"
        if self.part == "pattern":
            return f"{name} looks like {_listed([f'“{v}”' for v in self.values])}"
        if self.part == "weekday":
            return f"{name} is {_listed([WEEKDAYS[int(v)] for v in self.values])}"
        values = [self._word(v) for v in self.values]
        return f"{name} = {values[0]}" if len(values) == 1 else f"{name} is {_listed(values)}"

    def _range(self, name: str) -> str:
        if self.part == "hour":
            low, high = max(0.0, self.low), min(24.0, self.high) - 1
            return f"{name} is {low:.0f}" if low == high else f"{name} is {low:.0f} to {high:.0f}"
        if self.low == -math.inf:
            return f"{name} < {self._word(self.high)}"
        if self.high == math.inf:
            return f"{name} ≥ {self._word(self.low)}"
        return f"{self._word(self.low)} ≤ {name} < {self._word(self.high)}"

    def _word(self, value: Value) -> str:
        if isinstance(value, str):
            return f"'{value}'"
        if isinstance(value, bool):
            return "true" if value else "false"
        return (
            self._time(value)
            if self.type in ("date", "time", "local time") and self.part == "value"
            else f"{value:.12g}"
        )

    def _time(self, value: float) -> str:
        at = moment(value)
        if self.written:
            return f"'{at.strftime(self.written)}'"
        if self.type == "date":
            return f"{at:%Y-%m-%d}"
        return f"{at:%Y-%m-%d %H:%M:%S.%f}".rstrip("0").rstrip(".") if at.microsecond else f"{at:%Y-%m-%d %H:%M:%S}"

    # ------------------------------------------------------------------------------------------------- SQL

    def sql(self) -> str:
        """The condition in Spark SQL, with every value as a literal that means exactly that value."""
        name = named(self.path)
        if self.part == "null":
            return f"{name} IS {'' if self.values[0] else 'NOT '}NULL"
        if self.part == "pattern":
            return " OR ".join(f"{name} RLIKE {quoted(expression(str(v)))}" for v in self.values)
        asked = {"hour": f"hour({name})", "weekday": f"weekday({name})"}.get(self.part, name)
        if self.written and self.part == "hour":  # a part of the text: what is no time is no error, either
            asked = f"substring({name}, {HOUR_AT}, 2)"
        if self.values:
            values = [self._literal(v) for v in self.values]
            return f"{asked} = {values[0]}" if len(values) == 1 else f"{asked} IN ({', '.join(values)})"
        ends = []
        if self.low > -math.inf:
            ends.append(f"{asked} >= {self._literal(self.low)}")
        if self.high < math.inf:
            ends.append(f"{asked} < {self._literal(self.high)}")
        elif self.type == "number":
            ends.append(f"NOT isnan({asked})")  # for Spark NaN is larger than any number
        if self.written:
            ends.append(f"{name} RLIKE {quoted(FORMATS[self.written])}")
        return " AND ".join(ends) or f"{name} IS NOT NULL"

    def _literal(self, value: Value) -> str:
        if isinstance(value, str):
            return quoted(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if self.written and self.part == "hour":
            return f"'{math.ceil(value):02}'"
        if self.part != "value" or self.type == "whole":
            return str(math.ceil(value))
        return self._time_literal(value) if self.type in _TIMES else f"{float(value)!r}D"

    def _time_literal(self, value: float) -> str:
        if self.written:
            return quoted(moment(value).strftime(self.written))
        if self.type == "date":
            return f"DATE '{moment(math.ceil(value / 86400) * 86400):%Y-%m-%d}'"
        name, zone = ("TIMESTAMP", "Z") if self.type == "time" else ("TIMESTAMP_NTZ", "")
        return f"{name} '{moment(value):%Y-%m-%d %H:%M:%S.%f}{zone}'"

    # ------------------------------------------------------------------------------------------------ rows

    def holds(self, array: Any) -> Bools:
        """Which values of the column, an Arrow array, meet the condition."""
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if self.part == "null":
            return np.asarray((array.is_null() if self.values[0] else array.is_valid()).to_numpy(zero_copy_only=False))
        if self.part == "pattern":
            codes, patterns = patterns_of(array)
            wanted = np.array([p in self.values for p in patterns], np.bool_)
            return np.asarray((codes >= 0) & np.append(wanted, False)[codes])
        if self.values and self.part == "value" and not pt.is_temporal(array.type):
            allowed = pa.array(list(self.values), array.type if not pt.is_dictionary(array.type) else None)
            return np.asarray(pc.is_in(array, value_set=allowed).to_numpy(zero_copy_only=False))
        if self.type == "whole" and self.part == "value" and pt.is_integer(array.type):
            return _between(array, self.low, self.high)
        numbers = self._numbers(array)
        with np.errstate(invalid="ignore"):
            if self.values:
                return np.isin(numbers, np.array(self.values, np.float64))
            below = numbers < self.high if self.high < math.inf else ~np.isnan(numbers)  # an open end has the infinite
            return np.asarray((numbers >= self.low) & below)

    def _numbers(self, array: Any) -> Floats:
        if not self.written:
            return numbers_of(array, self.part)
        seconds = seconds_of(array, self.written)
        return seconds // 3600 % 24 if self.part == "hour" else seconds


def _between(array: Any, low: float, high: float) -> Bools:
    """Which whole numbers are in a range, beyond the digits of a float, too: as Spark compares them."""
    wide = np.uint64 if pt.is_unsigned_integer(array.type) else np.int64
    numbers = np.asarray(array.fill_null(0).to_numpy(zero_copy_only=False), wide)
    limits = np.iinfo(wide)
    inside = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), np.bool_)
    if low > limits.min:
        inside &= (numbers >= wide(math.ceil(low))) if low <= limits.max else False
    if high <= limits.max:
        inside &= (numbers < wide(math.ceil(high))) if high > limits.min else False
    return inside


def _listed(words: list[str]) -> str:
    more = len(words) - _LISTED
    return " or ".join(words) if more <= 0 else f"{', '.join(words[:_LISTED])} or one of {more} more"


def moment(seconds: float) -> datetime:
    """The time this many seconds after 1970, to the microsecond; outside of the years 1 to 9999, the first or last
    one.
    """
    try:
        return _EPOCH + timedelta(microseconds=round(seconds * 1e6))
    except OverflowError:
        return datetime.max.replace(tzinfo=timezone.utc) if seconds > 0 else datetime.min.replace(tzinfo=timezone.utc)


def named(path: tuple[str, ...]) -> str:
    r"""A column's name in Spark SQL; one with signs that act where it is shown, or that Spark would fill in, as a text.

    >>> print(named(("a`b", "c")), named(("a\nb",)), named(("${env:HOME}",)))
    `a``b`.`c` IDENTIFIER('`a\u000ab`') IDENTIFIER('`\u0024{env:HOME}`')
    """
    name = ".".join("`" + part.replace("`", "``") + "`" for part in path)
    acts = any(map(is_control, name)) or _FILLED_IN in name or inert_json(name) != name
    return f"IDENTIFIER({quoted(name)})" if acts else name


def quoted(text: str) -> str:
    r"""A text as a literal of Spark SQL, with quotes, backslashes and control characters escaped.

    >>> quoted("it's \\ or") == r"'it\'s \\ or'"
    True
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    seen = "".join(_code(c) if is_control(c) else c for c in escaped)
    filled = seen.replace(_FILLED_IN, _code("$") + "{")
    return inert_json(f"'{filled}'")  # Spark reads the escapes of JSON, too.


def _code(c: str) -> str:
    units = c.encode("utf-16-be", "surrogatepass").hex()  # Java's characters: all Sparks read them.
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def expression(pattern: str) -> str:
    r"""The regular expression of all texts that have a pattern.

    >>> expression("l-d") == r"^[\p{L}\p{M}]+[\p{P}\p{S}]+\p{N}+$"
    True
    """
    other = r"[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t\n\r\x0B\f]+"
    return "^" + "".join(_CLASSES.get(c, other) for c in pattern) + "$"
