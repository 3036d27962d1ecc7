"""JSON with one object per line, as Spark reads it: fields in the order of their names, and no text taken for a
time.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from pyarrow import json

from byhistory.files.reader import Declined
from byhistory.files.types import SparkType, Struct

Open = Callable[[str], AbstractContextManager[Any]]
LARGEST = 2.0**63
"""A whole number beyond this is a decimal to Spark, and rounded by Arrow."""


def schema_of(paths: Sequence[str], open_: Open) -> Struct:
    """The fields of all objects of all files."""
    schemas = []
    for path in paths:
        with open_(path) as stream:
            schemas.append(_table(stream, path).schema)
    try:
        whole = pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as why:
        raise Declined("a field has values of different types in different files") from why
    for field in whole:
        if any(not _fits(schema, field) for schema in schemas):
            raise Declined(f"{field.name!r} has values of different types in different files")
    found = _spark_type(pa.struct(list(whole)))
    return found if isinstance(found, Struct) else Struct(())


def arrays(stream: Any, path: str, wanted: Sequence[tuple[tuple[str, ...], str]]) -> Iterator[tuple[int, list[Any]]]:
    """The wanted fields of a whole file in their types, batch by batch, each with its number of rows."""
    table = _table(stream, path).combine_chunks()
    for batch in table.to_batches(max_chunksize=1 << 16):
        yield batch.num_rows, [_leaf(batch, names, type_) for names, type_ in wanted]


def _leaf(batch: Any, names: tuple[str, ...], type_: str) -> Any:
    """A field of a batch; nulls where the file does not have it."""
    number = batch.schema.get_field_index(names[0])
    array = batch.column(number) if number >= 0 else None
    for name in names[1:]:
        number = -1 if array is None or not pt.is_struct(array.type) else array.type.get_field_index(name)
        array = None if number < 0 else pc.struct_field(array, [number])
    target = {"bigint": pa.int64(), "double": pa.float64(), "boolean": pa.bool_()}.get(type_, pa.string())
    if type_.startswith("array<"):
        return pa.nulls(batch.num_rows, pa.int32()) if array is None else pc.list_value_length(array).cast(pa.int32())
    return pa.nulls(batch.num_rows, target) if array is None else array.cast(target)


def _table(stream: Any, path: str) -> Any:
    """All rows of a file; texts that Arrow has taken for times are read again as texts."""
    text = bytes(stream.read())
    lines = sum(1 for line in text.splitlines() if line.strip())
    if not lines:
        return pa.table({})
    try:
        found = json.read_json(
            io.BytesIO(text), json.ReadOptions(use_threads=False, block_size=max(1 << 20, len(text)))
        )
        if any(_has_times(field.type) for field in found.schema):
            schema = pa.schema([pa.field(f.name, _without_times(f.type)) for f in found.schema])
            found = json.read_json(
                io.BytesIO(text),
                json.ReadOptions(use_threads=False, block_size=max(1 << 20, len(text))),
                json.ParseOptions(explicit_schema=schema),
            )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as why:
        raise Declined(f"{path} is not one plain object per line ({' '.join(str(why).split())[:80]}…)") from why
    if found.num_rows != lines:
        raise Declined(f"{path} has {found.num_rows:,} objects on {lines:,} lines")
    for name, column in zip(found.column_names, found.columns, strict=True):
        _check(name, column, path)
    names = [name.lower() for name in found.column_names]
    if len(set(names)) < len(names) or "_corrupt_record" in names:
        raise Declined(f"fields of {path} differ only in case")
    return found


def _check(name: str, column: Any, path: str) -> None:
    """Decline numbers that Arrow had to round, and objects without fields: Spark reads them differently."""
    type_ = column.type
    if pt.is_float64(type_):
        largest = pc.max(pc.abs(column)).as_py()
        if largest is not None and largest >= LARGEST:
            raise Declined(f"{name!r} has numbers beyond 64 bits in {path}")
    elif pt.is_struct(type_):
        if not type_.num_fields:
            raise Declined(f"{name!r} has objects without fields in {path}")
        for i, field in enumerate(type_):
            for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
                _check(f"{name}.{field.name}", pc.struct_field(chunk, [i]), path)
    elif pt.is_list(type_):
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            _check(f"{name}[]", pc.list_flatten(chunk), path)


def _has_times(type_: Any) -> bool:
    if pt.is_struct(type_):
        return any(_has_times(f.type) for f in type_)
    return _has_times(type_.value_type) if pt.is_list(type_) else bool(pt.is_timestamp(type_))


def _without_times(type_: Any) -> Any:
    if pt.is_struct(type_):
        return pa.struct([pa.field(f.name, _without_times(f.type)) for f in type_])
    if pt.is_list(type_):
        return pa.list_(_without_times(type_.value_type))
    return pa.string() if pt.is_timestamp(type_) else type_


def _spark_type(type_: Any) -> SparkType:
    """A type as Spark calls it, with fields in the order of their names."""
    if pt.is_struct(type_):
        fields = sorted(((f.name, _spark_type(f.type), True) for f in type_), key=lambda field: field[0])
        return Struct(tuple(fields))
    if pt.is_list(type_):
        return f"array<{_spark_type(type_.value_type)}>"
    return {pa.int64(): "bigint", pa.float64(): "double", pa.bool_(): "boolean"}.get(type_, "string")


def _fits(schema: Any, field: Any) -> bool:
    """Whether a file has a field in the type of all files, or in one that Spark turns into it."""
    number = schema.get_field_index(field.name)
    return number < 0 or _same(schema.field(number).type, field.type)


def _same(own: Any, whole: Any) -> bool:
    if pt.is_null(own) or own == whole:
        return True
    if pt.is_struct(own) and pt.is_struct(whole):
        return all(_same(f.type, whole.field(whole.get_field_index(f.name)).type) for f in own)
    if pt.is_list(own) and pt.is_list(whole):
        return _same(own.value_type, whole.value_type)
    return bool(pt.is_int64(own) and pt.is_float64(whole))
