"""The reference: profile a table in memory, without Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.types as pt

from byhistory.errors import BadInput
from byhistory.profile import Kind, TableProfile
from byhistory.rows.chunk import CHUNK_ROWS, as_text
from byhistory.rows.decode import decoded, is_runs, knows, lengths, sizes, unreadable
from byhistory.rows.field import Field
from byhistory.rows.fold import Fold
from byhistory.rows.how import Asked, How
from byhistory.rows.sample import Sampler

if TYPE_CHECKING:
    from typing_extensions import Unpack


def profile_table(
    table: Any,
    *,
    run: str = "",
    **asked: Unpack[Asked],
) -> TableProfile:
    """Profile a table in memory as one run labelled `run`.

    `table` is an Arrow table, a mapping of names to arrays (numpy, Arrow or lists), a DataFrame of pandas or polars, a
    relation of DuckDB, or anything else with the Arrow PyCapsule interface.

    >>> p = profile_table({"n": [1, 2, None], "s": ["a", "b", "b"]})
    >>> p["n"].nulls, p["s"].distinct
    (1, 2.0)
    """
    how = How.of(asked)
    table = as_arrow(table)
    names, columns, nullables = flattened(table)
    chosen = select_columns(names, how)
    fields, kept, notices = [], [], []
    for position, name in enumerate(names):
        natural = kind_of(columns[position].type)
        kind = checked_kind(name, natural, how.kinds[name]) if name in how.kinds else natural
        if name not in chosen:
            continue
        type_ = str(columns[position].type)
        if kind is None:
            notices.append(only_sized(name, type_))
        fields.append(Field(name, kind or Kind.NESTED, type_, nullables[position], position))
        read = sizes if kind is None else lengths if kind is Kind.NESTED else decoded
        kept.append(read(columns[position], name))
    flat = pa.table(kept, names=[f.name for f in fields])
    fold, sampler = Fold(tuple(fields), how.options), Sampler(how.sample_rows, how.seed)
    for batch in flat.to_batches(max_chunksize=CHUNK_ROWS):
        readable = as_text(batch, fields)
        fold.add(readable)
        sampler.add(readable)
    profiles = {p.name: p.sealed(how.options.key) for p in fold.result()}
    return TableProfile(run, table.num_rows, profiles, tuple(notices), sampler.result(flat.schema))


def as_arrow(table: Any) -> Any:
    """A table in any of the forms that users have, as an Arrow table, without a copy if possible.

    >>> as_arrow({"n": [1, 2]}).num_rows
    2
    """
    if isinstance(table, pa.Table):
        return table
    if isinstance(table, Mapping):
        return _of_columns(table)
    if isinstance(table, pa.RecordBatchReader):
        return table.read_all()
    if type(table).__module__.partition(".")[0] == "pandas":
        return _of_pandas(table)
    if hasattr(table, "collect") and not hasattr(table, "__arrow_c_stream__"):  # a query of polars
        table = table.collect()
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return pa.table(table)
    for name in ("fetch_arrow_table", "to_arrow"):  # DuckDB and polars, before they had the interface
        if hasattr(table, name):
            return getattr(table, name)()
    raise BadInput(
        "profile a table",
        f"a {type(table).__module__}.{type(table).__qualname__}",
        "give an Arrow table, a mapping of arrays, or a DataFrame of pandas, polars or DuckDB",
    )


def _of_pandas(table: Any) -> Any:
    try:
        return pa.Table.from_pandas(table, preserve_index=False)  # an index is no column
    except _REFUSED:
        return _of_columns({str(name): values for name, values in table.items()})  # Which of them it is, and why.


_REFUSED = (pa.ArrowException, OverflowError, TypeError, ValueError)
"""What pyarrow raises where it takes values for no type of its own."""


def _of_columns(columns: Mapping[str, Any]) -> Any:
    """A table of them; pyarrow's own errors would show a value, which may be what nobody may see."""
    arrays = {name: _as_array(name, values) for name, values in columns.items()}
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) > 1:
        counts = f"from {min(lengths):,} to {max(lengths):,} of them"
        raise BadInput(
            "profile a mapping of arrays", f"columns of different length, {counts}", "give all the same rows"
        )
    return pa.table(arrays)


def _as_array(name: str, values: Any) -> Any:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        return pa.array(values)
    except _REFUSED:
        found = "values that Arrow takes for no type of its own, or for more than one"
        todo = "give the column one type: `pa.array(values, type)`, or `astype` in pandas"
        raise BadInput("read its values", found, todo, column=name) from None


def select_columns(names: list[str], how: How) -> set[str]:
    """Which columns to profile; an error for a name that is asked for and missing, or that is there twice."""
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise BadInput(
            f"profile the column {twice[0]!r}",
            f"{names.count(twice[0])} columns of that name",
            "rename them so that each name is unique",
        )
    for what, asked in (("include", how.include or ()), ("exclude", how.exclude), ("set the kind of", how.kinds)):
        missing = [n for n in asked if n not in names]
        if missing:
            raise BadInput(
                f"{what} the column {missing[0]!r}",
                f"no such column (there are {listed(names)})",
                "name a column of the table; below a struct, write the dotted path",
            )
    return {n for n in names if (how.include is None or n in how.include) and n not in how.exclude}


def listed(names: list[str]) -> str:
    """The first names, for a message.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def only_sized(name: str, type_: object) -> str:
    """The notice about a column on whose values nothing is measured."""
    return f"column {name!r}: of {type_} only presence, nulls and size are measured"


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
"""Which kind can be read as which other, if the user knows better than the schema."""


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


def flattened(table: Any) -> tuple[list[str], list[Any], list[bool]]:
    """Names, columns and whether they may be null; fields of structs become columns, named by their dotted path."""
    names, columns, nullables = [], [], []
    for field, column in zip(table.schema, table.columns, strict=True):
        if not pt.is_struct(field.type) or not field.type.num_fields:
            names.append(field.name)
            columns.append(column)
            nullables.append(field.nullable)
            continue
        try:
            inner = pa.table(column.flatten(), schema=pa.schema(list(field.type)))
        except pa.ArrowException as why:
            raise unreadable(field.name, field.type, why) from why
        for name, part, nullable in zip(*flattened(inner), strict=True):
            names.append(f"{field.name}.{name}")
            columns.append(part)
            nullables.append(nullable or field.nullable)
    return names, columns, nullables


def kind_of(type_: Any) -> Kind | None:
    """The kind of column for an Arrow type; None if nothing is measured on it."""
    if pt.is_dictionary(type_) or is_runs(type_):
        return kind_of(type_.value_type)
    if isinstance(type_, pa.BaseExtensionType):
        return kind_of(type_.storage_type)
    by_kind = (
        (Kind.NUMERIC, (pt.is_integer, pt.is_floating, pt.is_decimal)),
        (Kind.CATEGORICAL, (pt.is_boolean, pt.is_string, pt.is_large_string, pt.is_null, _is_text_view)),
        (Kind.TEMPORAL, (pt.is_date, pt.is_timestamp)),
        (Kind.BINARY, (pt.is_binary, pt.is_large_binary, pt.is_fixed_size_binary, _is_binary_view)),
        (Kind.NESTED, (pt.is_list, pt.is_large_list, pt.is_fixed_size_list, pt.is_map)),
    )
    return next((kind for kind, tests in by_kind if any(test(type_) for test in tests)), None)


def _is_text_view(type_: Any) -> bool:
    return knows(type_, "string_view")


def _is_binary_view(type_: Any) -> bool:
    return knows(type_, "binary_view")
