"""Arrow arrays in the few types that faults handle, and back in the type of the column."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.profile import Kind
from byhistory.profile.arrays import Floats, Ints

_EMPTY_TYPE = {
    Kind.NUMERIC: pa.float64(),
    Kind.CATEGORICAL: pa.string(),
    Kind.TEMPORAL: pa.timestamp("us"),
    Kind.BINARY: pa.binary(),
    Kind.NESTED: pa.list_(pa.int64()),
}
"""The type that a column of a kind is given if it has none of its own: all of its values are null."""
_INT64 = np.iinfo(np.int64)


def plain(array: Any, kind: Kind) -> Any:
    """One array of a type that faults can handle: no chunks, no dictionaries, no text that is meant as a number."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # older pyarrow gives no or several chunks back as they are
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    type_ = array.type
    if pt.is_null(type_):
        return pa.nulls(len(array), _EMPTY_TYPE[kind])
    if pt.is_dictionary(type_):
        return plain(array.cast(type_.value_type), kind)
    if kind is Kind.NUMERIC:
        return _plain_numbers(array)
    if kind is Kind.CATEGORICAL and not (pt.is_boolean(type_) or pt.is_string(type_) or pt.is_large_string(type_)):
        return array.cast(pa.string())
    return array.cast(pa.binary()) if pt.is_fixed_size_binary(type_) else array


def _plain_numbers(array: Any) -> Any:
    """Numbers as integers of up to 64 bits, decimals of 128 bits or floats."""
    type_ = array.type
    if pt.is_uint64(type_):
        largest = pc.max(array).as_py() or 0
        return array.cast(pa.int64()) if largest <= _INT64.max else array.cast(pa.float64(), safe=False)
    if pt.is_boolean(type_):
        return array.cast(pa.int8()).cast(pa.float64())
    if pt.is_decimal(type_):
        return array if pt.is_decimal128(type_) else array.cast(pa.float64())
    if pt.is_float16(type_):  # which Arrow neither sorts nor casts
        halves = array.to_numpy(zero_copy_only=False).astype(np.float32)
        return pa.array(halves, mask=np.asarray(array.is_null().to_numpy(zero_copy_only=False)))
    if pt.is_integer(type_) or pt.is_floating(type_):
        return array
    encoded = array.dictionary_encode()  # text that the user says holds numbers; what cannot be read is NaN
    values = np.array([_number(v) for v in encoded.dictionary.to_pylist()], np.float64)
    return pa.array(values).take(encoded.indices)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def cased(array: Any, unicode: Any, ascii_only: Any) -> Any:
    """Texts in other letters by one of two functions; the second one if some are not UTF-8."""
    try:
        return unicode(array)
    except pa.ArrowInvalid:  # bytes that are no UTF-8
        return ascii_only(array)


def as_integers(numbers: Any) -> Any:
    """Whole 64-bit numbers, cut towards zero as a cast does; floats as they are if some are too large for that."""
    if numbers.dtype.kind == "i":
        return numbers
    whole = np.trunc(numbers)
    return whole.astype(np.int64) if bool((np.abs(whole) < 2.0**63).all()) else numbers


def narrowed(array: Any, type_: Any) -> Any:
    """Numbers in the type of a column; as they are if they do not fit."""
    if array.type == type_:
        return array
    if pt.is_integer(type_) and pt.is_floating(array.type):
        return array
    try:
        return array.cast(type_, safe=not pt.is_floating(type_))
    except pa.ArrowInvalid:  # too large for the type
        return array


def ticks_type(type_: Any) -> Any:
    """The integers in which Arrow stores dates or timestamps of a type."""
    return pa.int32() if pt.is_date32(type_) else pa.int64()


def ticks_a_second(type_: Any) -> float:
    """How many units of a date or timestamp type make a second."""
    if pt.is_date32(type_):
        return 1 / 86_400
    return 1e3 if pt.is_date64(type_) else {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[type_.unit]


def ticks_of_rows(values: Floats, like: Any) -> Ints:
    """A whole number for each row of a column from one for each of its values; 0 where it is null."""
    full = np.zeros(len(like), np.int64)
    full[np.flatnonzero(like.is_valid().to_numpy(zero_copy_only=False))] = np.trunc(values)
    return full


def from_ticks(full: Ints, like: Any, type_: Any) -> Any:
    """Dates or timestamps from numbers of their units, null where `like` is."""
    gone = ~like.is_valid().to_numpy(zero_copy_only=False) if like.null_count else None
    if pt.is_date32(type_):
        return pa.array(np.clip(full, -(2**31), 2**31 - 1).astype(np.int32), mask=gone).cast(type_)
    if pt.is_date64(type_):
        full = full // 86_400_000 * 86_400_000
    return pa.array(full, mask=gone).cast(type_)
