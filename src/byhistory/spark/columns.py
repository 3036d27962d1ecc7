"""Which columns of a DataFrame are measured, and in which form must Spark give them?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from byhistory.errors import BadInput
from byhistory.profile import Kind
from byhistory.rows.field import Field
from byhistory.rows.how import How
from byhistory.rows.local import checked_kind, listed, only_sized, select_columns

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


_WRITTEN = (
    "VariantType",
    "TimeType",
    "DayTimeIntervalType",
    "YearMonthIntervalType",
    "CalendarIntervalType",
    "UserDefinedType",
    "StructType",
)
"""Types on whose values nothing is measured, and which Spark can cast to text."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The columns that are measured, in order, and what there is to say of the others."""

    fields: tuple[Field, ...]
    notices: tuple[str, ...] = ()

    def noticing(self, *notices: str) -> Measured:
        """The same with more to say."""
        return replace(self, notices=(*self.notices, *notices))


@dataclass(frozen=True)
class Selection:
    """A DataFrame of just the measured columns, in order (the label of the run last), and what they are."""

    df: DataFrame
    measured: Measured
    by_run: bool


def select(df: DataFrame, by: str | None, how: How) -> Selection:
    """The projection that a profile needs: structs flattened, collections as sizes, names replaced by numbers."""
    from pyspark.sql import functions as F

    schema = df.schema
    names = [f.name for f in schema.fields]
    select_columns(names, How())  # duplicate names are an error before anything else
    # Renaming by place, not by name: names may hold dots and backquotes, or differ only in case.
    plain = df.toDF(*(f"c{i}" for i in range(len(names))))
    if by is not None and by not in names:
        raise BadInput(f"take the runs from the column {by!r}", f"the columns {listed(names)}", "name one of them")
    leaves = [
        leaf
        for i, f in enumerate(schema.fields)
        if f.name != by
        for leaf in _leaves(f.name, f"c{i}", f.dataType, f.nullable)
    ]
    # The label of the run may be named among the columns, but is not one of them.
    how = how if by is None else how.without([by])
    chosen = select_columns([leaf.name for leaf in leaves], how)
    fields: list[Field] = []
    columns: list[Column | str] = []
    notices: list[str] = []
    for position, leaf in enumerate(leaves):
        natural = kind_of(leaf.type)
        kind = checked_kind(leaf.name, natural, how.kinds[leaf.name]) if leaf.name in how.kinds else natural
        if leaf.name not in chosen:
            continue
        if kind is None:
            notices.append(only_sized(leaf.name, leaf.type.simpleString()))
        fields.append(Field(leaf.name, kind or Kind.NESTED, leaf.type.simpleString(), leaf.nullable, position))
        handed_over = _handed_over(leaf, natural, f"v{len(columns)}") if kind else _sized(leaf, f"v{len(columns)}")
        columns.append(handed_over)
    if by is not None:
        columns.append(F.col(f"c{names.index(by)}").cast("string").alias("run"))
    elif not columns:  # a table without columns still has rows, which only a column of nothing carries over
        columns.append(F.lit(None).cast("string").alias("nothing"))
    return Selection(plain.select(*columns), Measured(tuple(fields), tuple(notices)), by is not None)


@dataclass(frozen=True)
class _Leaf:
    """A column of the table by its number, which takes Spark a tenth of the time, or a field below a column."""

    name: str
    column: Column | str
    type: Any
    nullable: bool


def _leaves(name: str, column: Column | str, type_: Any, nullable: bool) -> Iterator[_Leaf]:
    """The column itself, or the fields below a struct by dotted path."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    if not isinstance(type_, StructType) or not type_.fields:
        yield _Leaf(name, column, type_, nullable)
        return
    column = F.col(column) if isinstance(column, str) else column
    inner = [field.name for field in type_.fields]
    if len({n.lower() for n in inner}) < len(inner):  # Spark could not tell them apart by name, so rename by place
        numbered = [(f"f{i}", f.dataType) for i, f in enumerate(type_.fields)]
        column, inner = column.cast(_struct(numbered)), [n for n, _ in numbered]
    for field, at in zip(type_.fields, inner, strict=True):
        yield from _leaves(f"{name}.{field.name}", column.getField(at), field.dataType, nullable or field.nullable)


def _struct(fields: list[tuple[str, Any]]) -> Any:
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(name, type_) for name, type_ in fields])


def kind_of(type_: Any) -> Kind | None:
    """The kind of column for a Spark type; None if nothing is measured on it."""
    from pyspark.sql import types as T

    by_kind: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        (Kind.NUMERIC, ("NumericType",)),
        (Kind.CATEGORICAL, ("StringType", "CharType", "VarcharType", "BooleanType", "NullType")),
        (Kind.TEMPORAL, ("DateType", "TimestampType", "TimestampNTZType")),
        (Kind.BINARY, ("BinaryType",)),
        (Kind.NESTED, ("ArrayType", "MapType")),
    )
    for kind, names in by_kind:
        if any(isinstance(type_, getattr(T, n)) for n in names if hasattr(T, n)):
            return kind
    return None


def _sized(leaf: _Leaf, name: str) -> Column:
    """How many characters each value has when written out; 0 if Spark cannot write it."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    column = F.col(leaf.column) if isinstance(leaf.column, str) else leaf.column
    is_written = any(isinstance(leaf.type, getattr(T, n)) for n in _WRITTEN if hasattr(T, n))
    size = F.length(column.cast("string")) if is_written else F.lit(0)
    return F.when(column.isNotNull(), size).alias(name)


def _handed_over(leaf: _Leaf, natural: Kind | None, name: str) -> Column | str:
    """The column in the form for the fold: sizes for collections, text for what Arrow cannot transport."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    is_text = natural is None or isinstance(leaf.type, T.NullType)
    if isinstance(leaf.column, str) and natural is not Kind.NESTED and not is_text:
        return leaf.column
    column = F.col(leaf.column) if isinstance(leaf.column, str) else leaf.column
    if natural is Kind.NESTED:
        # size(NULL) is -1 or NULL, depending on the user's configuration
        column = F.when(column.isNotNull(), F.size(column))
    elif is_text:
        column = column.cast("string")
    return column.alias(name)
