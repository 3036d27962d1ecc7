"""The parts of a column that can be looked at: numbers, hours, weekdays, patterns."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.profile.arrays import Floats, Hashes, Ints
from byhistory.rows.chars import characters, written
from byhistory.rows.hashing import hash_strings, hash_words, seed_of
from byhistory.rows.text import strings_of

_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SIZE = {"hour": 24, "weekday": 7}
"""How many there are of each part of a time."""


def plain(column: Any) -> Any:
    """A column as one Arrow array, in a type that the other functions of this package can read."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # what combine_chunks leaves of a column without rows
        array = array.chunk(0) if array.num_chunks else pa.array([], array.type)
    if pt.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pt.is_decimal(array.type):
        return array.cast(pa.float64())
    if pt.is_large_string(array.type) or (hasattr(pt, "is_string_view") and pt.is_string_view(array.type)):
        return array.cast(pa.string()) if array.nbytes < 1 << 31 else array
    return array


def comparable(now: Any, before: Any) -> tuple[Any, Any]:
    """A column of two runs in the same type, if there is one for both.

    There is one for a column that is all null, for numbers of any type, and for text that was of another type before.
    """
    now, before = plain(now), plain(before)
    if pt.is_null(before.type):
        before = pa.nulls(len(before), now.type)
    if pt.is_null(now.type):
        now = pa.nulls(len(now), before.type)
    if now.type != before.type and all(pt.is_integer(a.type) or pt.is_floating(a.type) for a in (now, before)):
        return now.cast(pa.float64(), safe=False), before.cast(pa.float64(), safe=False)
    if pt.is_string(now.type) and (pt.is_primitive(before.type) or pt.is_large_string(before.type)):
        return now, before.cast(pa.string())
    return now, before


def numbers_of(array: Any, part: str = "value") -> Floats:
    """Values as floats: numbers, dates and times in seconds since 1970, or their hour or weekday; null is nan."""
    array = plain(array)
    if part == "hour":
        asked = pc.hour(array) if pt.is_timestamp(array.type) else pa.nulls(len(array), pa.int64())
    elif part == "weekday":
        asked = pc.day_of_week(array)
    else:
        asked = array
    if part == "value" and pt.is_temporal(array.type):
        seconds, scale = _ticks(array)
        return np.asarray(_floats(seconds) / scale)
    found = _floats(asked)
    if part in _SIZE:
        # Far beyond the year 9999 pyarrow gives hours in the millions.
        found = np.where((found >= 0) & (found < _SIZE[part]), found, np.nan)
    return found


DATED = 0.9
"""Text, or whole numbers, are dates if this share of the values can be read as dates (a choice)."""
_WRITTEN_AS_DATE = (
    r"^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?(Z|[+-]\d{2}:\d{2})?$|^\d{1,2}/\d{1,2}/\d{4}$"
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
"""Eight digits are a date if the year is between these (a choice): what is recorded today is about that time."""


def dated(now: Any, before: Any) -> tuple[Floats, Floats] | None:
    """Both runs in seconds since 1970, if the column has dates that are written as text or as 20261115.

    Other values are infinite, and null is nan. None if the run before has values that are not dates.
    """
    read = _text_seconds if pt.is_string(now.type) else _number_seconds if pt.is_integer(before.type) else None
    if read is None or not len(before) - before.null_count:
        return None
    there = read(before)
    if np.isfinite(there).sum() < DATED * (~np.isnan(there)).sum():
        return None
    return read(now), there


def _text_seconds(array: Any) -> Floats:
    encoded = array.dictionary_encode()
    is_written = pc.match_substring_regex(encoded.dictionary, _WRITTEN_AS_DATE).to_numpy(zero_copy_only=False)
    seconds = [_moment(v) if ok else np.inf for v, ok in zip(encoded.dictionary.to_pylist(), is_written, strict=True)]
    places = encoded.indices.fill_null(len(seconds)).to_numpy(zero_copy_only=False)
    return np.asarray(np.append(seconds, np.nan)[places], np.float64)


def _moment(text: str) -> float:
    if "/" in text:  # month and day, or day and month: for how far apart runs are, either will do
        first, second, year = text.split("/")
        month, day = (first, second) if int(first) <= 12 else (second, first)
        text = f"{year}-{month:0>2}-{day:0>2}"
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return np.inf
    return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()


def _number_seconds(array: Any) -> Floats:
    numbers = numbers_of(array)
    distinct, places = np.unique(numbers, return_inverse=True)
    return np.array([_day(n) for n in distinct.tolist()], np.float64)[places]


def _day(number: float) -> float:
    if np.isnan(number):
        return np.nan
    whole = int(number) if np.isfinite(number) and number == int(number) else 0
    if not _FIRST_YEAR * 10_000 < whole < (_LAST_YEAR + 1) * 10_000:
        return np.inf
    return _moment(f"{whole // 10_000:04}-{whole // 100 % 100:02}-{whole % 100:02}")


def places(array: Any, part: str = "value", missing: int = -1) -> Ints:
    """A part of a column (an hour, a weekday, true or false) as whole numbers, with one more number for null."""
    found = numbers_of(array, part)
    return np.where(np.isnan(found), missing, found).astype(np.int64)


def nulls_of(array: Any) -> Ints:
    """Which values are null, as 0 and 1."""
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False), np.int64)


def _ticks(array: Any) -> tuple[Any, float]:
    if pt.is_date32(array.type):
        return array.cast(pa.int32()), 1 / 86_400
    if pt.is_date64(array.type):
        return array.cast(pa.int64()), 1e3
    return array.cast(pa.int64()), float(_TICKS[array.type.unit])


def _floats(array: Any) -> Floats:
    numbers = array.to_numpy(zero_copy_only=False)
    return np.asarray(numbers, np.float64) if numbers.dtype != object else np.array(numbers, np.float64)


def hashed(column: Any) -> Hashes:
    """A 64-bit number for each value of a column of text or whole numbers, the same in every run."""
    array = plain(column)
    if pt.is_integer(array.type):
        words = array.cast(pa.int64(), safe=False).fill_null(0).to_numpy(zero_copy_only=False)
        return hash_words(words.view(np.uint64), seed_of(b""))
    strings = strings_of(array.fill_null(""))
    return hash_strings(strings.data, strings.starts, strings.lengths, seed_of(b""))


def patterns_of(array: Any) -> tuple[Ints, list[str]]:
    """The pattern of each text as a number, -1 for null, and the pattern of each number."""
    encoded = plain(array).dictionary_encode()
    distinct = encoded.dictionary
    patterns, _ = written(characters(strings_of(distinct)).runs)
    if len(patterns.starts) == 1 and len(distinct) > 1:
        texts = [_text(patterns, 0)] * len(distinct)
    else:
        texts = [_text(patterns, i) for i in range(len(distinct))]
    names, of_value = np.unique(np.array(texts, np.object_), return_inverse=True)
    places = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    codes = np.append(of_value, -1)[places] if len(distinct) else np.full(len(array), -1)
    return codes.astype(np.int64), names.tolist()


def _text(patterns: Any, i: int) -> str:
    start = int(patterns.starts[i])
    return bytes(patterns.data[start : start + int(patterns.lengths[i])]).decode("ascii")
