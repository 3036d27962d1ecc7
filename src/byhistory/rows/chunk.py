"""From some rows of a column to a profile, still in flight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from byhistory.errors import BadInput
from byhistory.profile import NUMBER_LIKE, ColumnProfile, Kind
from byhistory.rows.arrays import as_numpy
from byhistory.rows.decode import element_counts
from byhistory.rows.field import Field, Options
from byhistory.rows.numeric import number_states
from byhistory.rows.text import binary_states, boolean_states, length_quantiles, strings_of, text_states

CHUNK_ROWS = 1 << 16
"""Rows that are summarised together: enough to drown numpy's overhead, few enough for the fast grouping by hash."""

PIECE_BYTES = 8 << 20
"""A column with more bytes is summarised in pieces: to count characters takes about thirty times their size."""

CODED = pa.dictionary(pa.int32(), pa.string())
"""Text as some files store it: each value once, and codes."""
TEXT_TYPES = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.bool_(), pa.null(), CODED)


def as_text(batch: Any, fields: Sequence[Field]) -> Any:
    """The batch with the columns as text that the user wants measured as text; numbers and dates are written out."""
    types = batch.schema.types
    written = [f.kind is Kind.CATEGORICAL and t not in TEXT_TYPES for f, t in zip(fields, types, strict=True)]
    if not any(written):
        return batch
    columns = [c.cast(pa.string()) if w else c for c, w in zip(batch.columns, written, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def profile_array(array: Any, field: Field, options: Options) -> ColumnProfile:
    """The profile of one Arrow array, not yet sealed, so that it can be added to others of the same run.

    >>> p = profile_array(pa.array([1, None, 3]), Field("n", Kind.NUMERIC, "int"), Options())
    >>> p.rows, p.nulls, p.numbers.sum
    (3, 1, 4.0)
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.type == CODED and (field.kind is not Kind.CATEGORICAL or array.dictionary.nbytes > PIECE_BYTES):
        array = array.dictionary_decode()
    if pa.types.is_null(array.type):
        array = pa.nulls(len(array), _EMPTY_TYPE[field.kind])
    if len(array) > 1 and array.type != CODED and array.nbytes > PIECE_BYTES:
        half = len(array) // 2
        return profile_array(array[:half], field, options) + profile_array(array[half:], field, options)
    try:
        states = _states(array, field.kind, options)
    except (pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError) as failure:
        raise BadInput(
            f"measure {array.type} as {field.kind}",
            f"{type(failure).__name__}: {failure}",
            "exclude the column or cast it, and tell us: this is a defect",
            column=field.name,
        ) from failure
    return ColumnProfile(
        field.kind, field.name, field.type, field.nullable, field.position, len(array), array.null_count, **states
    )


def _states(array: Any, kind: Kind, options: Options) -> dict[str, Any]:
    if kind in NUMBER_LIKE:
        present = array.drop_null() if array.null_count else array
        return dict(zip(("numbers", "quantiles", "values"), number_states(present, kind, options), strict=True))
    if kind is Kind.CATEGORICAL and pa.types.is_boolean(array.type):
        present = (
            len(array) - array.null_count
        )  # asked first: pyarrow 14 crashes on a slice whose nulls were not counted
        trues = array.true_count
        return _text(boolean_states(trues, present - trues, options)) | {"trues": trues}
    if kind is Kind.CATEGORICAL:
        return _text(text_states(array, options))
    if kind is Kind.BINARY:
        return dict(zip(("lengths", "values"), binary_states(strings_of(array), options), strict=True))
    return {"lengths": length_quantiles(_counts(array))}


_EMPTY_TYPE = {
    Kind.NUMERIC: pa.float64(),
    Kind.CATEGORICAL: pa.string(),
    Kind.TEMPORAL: pa.timestamp("us"),
    Kind.BINARY: pa.binary(),
    Kind.NESTED: pa.int64(),
}


def _text(states: tuple[Any, ...]) -> dict[str, Any]:
    names = ("text", "lengths", "values", "patterns", "formats")  # booleans have no formats
    return dict(zip(names[: len(states)], states, strict=True))


def _counts(array: Any) -> Any:
    """Elements of each list or map that is not null; Spark sends these counts themselves."""
    counts = array if pa.types.is_integer(array.type) else element_counts(array)
    return as_numpy(counts.drop_null()).astype(np.int64)
