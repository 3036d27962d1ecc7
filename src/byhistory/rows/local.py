"""The reference: a table in memory to its profile, without Spark."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from byhistory.errors import BadInput
from byhistory.profile import Kind, TableProfile
from byhistory.rows.chunk import CHUNK_ROWS, as_text
from byhistory.rows.field import Field, Options
from byhistory.rows.fold import Fold
from byhistory.rows.sample import SAMPLE_ROWS, Sampler


def profile_table(
    table: Any,
    *,
    run: str = "",
    kinds: Mapping[str, Kind] | None = None,
    include: Collection[str] | None = None,
    exclude: Collection[str] = (),
    options: Options | None = None,
    sample_rows: int = SAMPLE_ROWS,
    seed: int = 0,
) -> TableProfile:
    """Profile an Arrow table, or a mapping of names to arrays (numpy, Arrow or lists).

    >>> p = profile_table({"n": [1, 2, None], "s": ["a", "b", "b"]})
    >>> p["n"].nulls, p["s"].distinct
    (1, 2.0)
    """
    options, kinds = options or Options(), kinds or {}
    if isinstance(table, Mapping):
        table = pa.table({n: v if isinstance(v, pa.Array | pa.ChunkedArray) else pa.array(v) for n, v in table.items()})
    names, columns, nullables = _flattened(table)
    _, chosen = select_columns(names, kinds, include, exclude)
    fields, kept, notices = [], [], []
    for position, name in enumerate(names):
        natural = kind_of(columns[position].type)
        kind = checked_kind(name, natural, kinds[name]) if name in kinds else natural
        if name not in chosen:
            continue
        if kind is None or natural is None:
            notices.append(left_out(name, columns[position].type))
            continue
        fields.append(Field(name, kind, str(columns[position].type), nullables[position], position))
        kept.append(_decoded(columns[position]))
    flat = pa.table(kept, names=[f.name for f in fields])
    fold, sampler = Fold(tuple(fields), options), Sampler(sample_rows, seed)
    for batch in flat.to_batches(max_chunksize=CHUNK_ROWS):
        readable = as_text(batch, fields)
        fold.add(readable)
        sampler.add(readable)
    profiles = {p.name: p.sealed(options.key) for p in fold.result()}
    return TableProfile(run, table.num_rows, profiles, tuple(notices), sampler.result(flat.schema))


def select_columns(
    names: list[str], kinds: Mapping[str, Kind], include: Collection[str] | None, exclude: Collection[str]
) -> tuple[list[str], set[str]]:
    """Which columns to profile; a name that is asked for and not there, or there twice, is a clear error."""
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise BadInput(
            f"profile the column {twice[0]!r}",
            f"{names.count(twice[0])} columns of that name",
            "rename them so that each name is unique",
        )
    for what, asked in (("include", include or ()), ("exclude", exclude), ("set the kind of", kinds)):
        missing = [n for n in asked if n not in names]
        if missing:
            raise BadInput(
                f"{what} the column {missing[0]!r}",
                f"no such column (there are {listed(names)})",
                "name a column of the table; below a struct, write the dotted path",
            )
    return names, {n for n in names if (include is None or n in include) and n not in exclude}


def listed(names: list[str]) -> str:
    """The first names, for a message.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def left_out(name: str, type_: object) -> str:
    """What a profile says of a column that it does not have."""
    return f"column {name!r} is left out: nothing is measured on {type_}"


READABLE = frozenset(
    {
        (Kind.CATEGORICAL, Kind.NUMERIC),
        (Kind.CATEGORICAL, Kind.BINARY),
        (Kind.NUMERIC, Kind.CATEGORICAL),
        (Kind.TEMPORAL, Kind.CATEGORICAL),
        (Kind.BINARY, Kind.CATEGORICAL),
        (None, Kind.CATEGORICAL),
    }
)
"""Which kind can be read as which other, where the user knows better than the schema."""


def checked_kind(name: str, natural: Kind | None, asked: object) -> Kind:
    """The kind that the user asked for, unless it makes no sense for the type of the column."""
    possible = [k for k in Kind if k is natural or (natural, k) in READABLE]
    if asked not in possible:
        raise BadInput(
            f"measure the column as {asked}",
            f"a column that is {natural or 'of a type on which nothing is measured'}",
            f"say one of {', '.join(map(str, possible))}, or cast the column first",
            column=name,
        )
    return Kind(asked)


def _flattened(table: Any) -> tuple[list[str], list[Any], list[bool]]:
    """Names, columns and whether they may be null; structs as columns of their own, by dotted path."""
    names, columns, nullables = [], [], []
    for field, column in zip(table.schema, table.columns, strict=True):
        if not pt.is_struct(field.type) or not field.type.num_fields:
            names.append(field.name)
            columns.append(column)
            nullables.append(field.nullable)
            continue
        inner = pa.table(column.flatten(), schema=pa.schema(list(field.type)))
        for name, part, nullable in zip(*_flattened(inner), strict=True):
            names.append(f"{field.name}.{name}")
            columns.append(part)
            nullables.append(nullable or field.nullable)
    return names, columns, nullables


def kind_of(type_: Any) -> Kind | None:
    """The kind of column that an Arrow type means; None if nothing is measured on it."""
    if pt.is_dictionary(type_):
        return kind_of(type_.value_type)
    by_kind = (
        (Kind.NUMERIC, (pt.is_integer, pt.is_floating, pt.is_decimal)),
        (Kind.CATEGORICAL, (pt.is_boolean, pt.is_string, pt.is_large_string, pt.is_null, _is_string_view)),
        (Kind.TEMPORAL, (pt.is_date, pt.is_timestamp)),
        (Kind.BINARY, (pt.is_binary, pt.is_large_binary, pt.is_fixed_size_binary)),
        (Kind.NESTED, (pt.is_list, pt.is_large_list, pt.is_fixed_size_list, pt.is_map)),
    )
    return next((kind for kind, tests in by_kind if any(test(type_) for test in tests)), None)


def _is_string_view(type_: Any) -> bool:
    return bool(hasattr(pt, "is_string_view") and pt.is_string_view(type_))  # pyarrow has it from 16 on


def _decoded(column: Any) -> Any:
    """Dictionaries, views and fixed-size bytes in a form the fold understands."""
    if pt.is_dictionary(column.type):
        return _decoded(column.cast(column.type.value_type))
    if pt.is_fixed_size_binary(column.type):
        return column.cast(pa.binary())
    return column.cast(pa.string()) if _is_string_view(column.type) else column
