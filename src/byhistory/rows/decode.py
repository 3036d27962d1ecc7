"""How is a column read whose values Arrow keeps in another form: as codes, as runs, or as a type of somebody else?

By Arrow's `take` alone: its casts know few of these forms, and none inside another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from byhistory.errors import BadInput
from byhistory.rows.arrays import as_array, as_numpy


def decoded(column: Any, name: str) -> Any:
    """The values themselves: no dictionary, runs, extension, view or fixed size is left around them.

    >>> decoded(pa.chunked_array([pa.array(["a", None, "a"]).dictionary_encode()]), "s").to_pylist()
    ['a', None, 'a']
    """
    return _each(column, name, _value_type(column.type), _as_bytes_or_text)


def lengths(column: Any, name: str) -> Any:
    """How many elements each list or map has: all that is measured of it, and what Spark sends, too.

    >>> lengths(pa.chunked_array([[[1, 2], None, []]]), "l").to_pylist()
    [2, None, 0]
    """
    return _each(column, name, pa.int64(), element_counts)


def sizes(column: Any, name: str) -> Any:
    """How many characters each value has when it is written out; 0 where Arrow cannot write it."""
    return _each(column, name, pa.int64(), _sizes)


def element_counts(array: Any) -> Any:
    """How many elements each list or map of an array has.

    >>> element_counts(pa.array([[1, 2], None, []])).to_pylist()
    [2, None, 0]
    """
    if not pt.is_map(array.type):
        return pc.list_value_length(array).cast(pa.int64())
    return pa.array(np.diff(as_numpy(array.offsets)), pa.int64(), mask=~as_numpy(array.is_valid()))


def unreadable(name: str, type_: object, why: Exception) -> BadInput:
    """The error for a column that pyarrow itself cannot read."""
    found = f"the type {type_}, which pyarrow {pa.__version__} cannot read ({str(why).splitlines()[0]})"
    return BadInput("read its values", found, "exclude the column, or cast it before", column=name)


def is_runs(type_: Any) -> bool:
    """Whether equal neighbours are kept once; the oldest pyarrow that we run on does not know that."""
    return knows(type_, "run_end_encoded")


def knows(type_: Any, name: str) -> bool:
    """Whether a type is of this name, which the oldest pyarrow that we run on may not know."""
    known = getattr(pt, f"is_{name}", None)
    return known is not None and bool(known(type_))


def _each(column: Any, name: str, type_: Any, read: Callable[[Any], Any]) -> Any:
    """What is read of every value, whatever it is wrapped in; of codes and runs, each value is read once."""
    try:
        return pa.chunked_array([_unwrapped(chunk, read) for chunk in column.chunks], type_)
    except pa.ArrowException as why:
        raise unreadable(name, column.type, why) from why


def _unwrapped(chunk: Any, read: Callable[[Any], Any]) -> Any:
    if isinstance(chunk.type, pa.BaseExtensionType):
        return _unwrapped(chunk.storage, read)
    if pt.is_dictionary(chunk.type):
        return _unwrapped(chunk.dictionary, read).take(chunk.indices)
    if is_runs(chunk.type):
        ends = as_numpy(chunk.run_ends)
        places = np.arange(chunk.offset, chunk.offset + len(chunk))
        return _unwrapped(chunk.values, read).take(as_array(np.searchsorted(ends, places, side="right")))
    return read(chunk)


def _value_type(type_: Any) -> Any:
    if isinstance(type_, pa.BaseExtensionType):
        return _value_type(type_.storage_type)
    if pt.is_dictionary(type_) or is_runs(type_):
        return _value_type(type_.value_type)
    if pt.is_fixed_size_binary(type_) or knows(type_, "binary_view"):
        return pa.binary()
    return pa.string() if knows(type_, "string_view") else type_


def _as_bytes_or_text(chunk: Any) -> Any:
    type_ = _value_type(chunk.type)
    return chunk if type_ == chunk.type else chunk.cast(type_)


def _sizes(chunk: Any) -> Any:
    try:
        return pc.utf8_length(chunk.cast(pa.string())).cast(pa.int64())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        present = chunk.is_valid()
        return pc.if_else(present, pa.scalar(0, pa.int64()), pa.scalar(None, pa.int64()))
