"""Metrics as SQL that most engines understand, for tools that take a query."""

from __future__ import annotations

import re

from byhistory.profile import Kind

COLUMN = "{column}"
"""What stands for the column, quoted as the engine wants it."""

_WORDS = """
    all analyse analyze and anti any array as asc asymmetric at authorization begin between both by case cast check
    collate column connect constraint create cross current current_catalog current_date current_role current_schema
    current_time current_timestamp current_user default deferrable delete desc describe distinct do drop else end escape
    except exists false fetch filter for foreign freeze from full grant group having ilike in initially inner insert
    intersect interval into is isnull join lateral leading left like limit localtime localtimestamp minus natural not
    notnull null of offset on only or order outer over overlaps partition placing primary qualify references returning
    revoke right row rows select semi session_user set similar some start symmetric table tablesample then to trailing
    true union unique unknown update user using values variadic verbose when where window with
    """
_RESERVED = frozenset(_WORDS.split())
"""Words of SQL that name no column without quotes, in PostgreSQL, Spark in its ANSI mode, Snowflake or BigQuery."""

_ANY = {
    "row_count": "count(*)",
    "complete_ratio": "count({column}) * 1.0 / nullif(count(*), 0)",
    "unique_ratio": "count(distinct {column}) * 1.0 / nullif(count({column}), 0)",
    "dist_val_count": "count(distinct {column})",
}
_NUMERIC = {
    "mean": "avg({column})",
    "std": "stddev_samp({column})",
    "min": "min({column})",
    "max": "max({column})",
    "range": "max({column}) - min({column})",
    "sum": "sum({column})",
    **{
        name: f"percentile_cont({part}) within group (order by {{column}})"
        for name, part in (("p1", 0.01), ("p5", 0.05), ("median", 0.5), ("p95", 0.95), ("p99", 0.99))
    },
    "zero_ratio": "avg(case when {column} = 0 then 1.0 when {column} is not null then 0.0 end)",
    "negative_ratio": "avg(case when {column} < 0 then 1.0 when {column} is not null then 0.0 end)",
    "integer_ratio": "avg(case when {column} = floor({column}) then 1.0 when {column} is not null then 0.0 end)",
}
_TEXT = {
    "str_len": "avg(length({column}))",
    "len_max": "max(length({column}))",
    "empty_ratio": "avg(case when {column} = '' then 1.0 when {column} is not null then 0.0 end)",
    "edge_space_ratio": (
        "avg(case when length(trim({column})) < length({column}) then 1.0 when {column} is not null then 0.0 end)"
    ),
}
_BOOLEAN = {"true_ratio": "avg(case when {column} then 1.0 when {column} is not null then 0.0 end)"}


def sql_of(metric: str, kind: Kind, type_: str) -> str:
    """The metric as an aggregation with `{column}` in it; empty if there is none that engines agree on.

    >>> sql_of("mean", Kind.NUMERIC, "double"), sql_of("mean", Kind.TEMPORAL, "date")
    ('avg({column})', '')
    """
    by_kind: dict[str, str] = {}
    if kind is Kind.NUMERIC:
        by_kind = _NUMERIC
    elif kind is Kind.CATEGORICAL:
        by_kind = _BOOLEAN if type_ in ("boolean", "bool") else _TEXT
    return (_ANY if kind not in (Kind.NESTED, Kind.BINARY) else _of_any_type()).get(metric, "") or by_kind.get(
        metric, ""
    )


def _of_any_type() -> dict[str, str]:
    return {name: _ANY[name] for name in ("row_count", "complete_ratio")}


def can_say(metric: str, kind: Kind, type_: str) -> bool:
    """Whether there is SQL for a metric."""
    return bool(sql_of(metric, kind, type_))


def quoted(column: str) -> str:
    """A name as standard SQL writes it; without quotes if that is enough, which more engines understand.

    >>> quoted("amount"), quoted("unit price"), quoted("order")
    ('amount', '"unit price"', '"order"')
    """
    if re.fullmatch(r"[a-z_][a-z0-9_]*", column) and column not in _RESERVED:
        return column
    doubled = column.replace('"', '""')
    return f'"{doubled}"'


def filled(expression: str, column: str) -> str:
    """An expression with the column's name in it."""
    return expression.replace(COLUMN, quoted(column))
