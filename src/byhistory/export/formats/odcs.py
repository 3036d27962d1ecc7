"""Open Data Contract Standard 3.1: the schema, and quality rules on the table and its columns."""

from __future__ import annotations

import math
from typing import Any

from byhistory.export.formats.base import Export, Format, comment, file_name
from byhistory.export.limits import Learned, Limit, limits_of
from byhistory.export.sql import can_say, filled, sql_of
from byhistory.export.yaml import to_yaml

TITLE = "Open Data Contract Standard 3.1"
VERSION = "v3.1.0"
_LOGICAL = {
    "boolean": "boolean",
    "bool": "boolean",
    "date": "date",
    "tinyint": "integer",
    "smallint": "integer",
    "int": "integer",
    "bigint": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
}
_BY_START = {
    "date": "date",
    "timestamp": "timestamp",
    "decimal": "number",
    "int": "integer",
    "uint": "integer",
    "array": "array",
    "list": "array",
    "map": "object",
    "struct": "object",
}


def write(learned: Learned) -> Export:
    """One contract with one table."""
    limits, unsaid = limits_of(learned, can_say)
    table: dict[str, Any] = {"name": learned.table, "physicalName": learned.table, "physicalType": "table"}
    table["properties"] = [
        {
            "name": column.name,
            "logicalType": logical_type(column.type),
            **_quality([limit for limit in limits if limit.column == column.name], learned),
        }
        for column in learned.columns
    ]
    table |= _quality([limit for limit in limits if not limit.column], learned)
    contract = {
        "apiVersion": VERSION,
        "kind": "DataContract",
        "id": f"byhistory-{file_name(learned.table)}",
        "name": learned.table,
        "version": learned.run,
        "status": "active",
        "schema": [table],
    }
    text = to_yaml(contract, comment(learned, unsaid))
    return Export(TITLE, {f"{file_name(learned.table)}.odcs.yaml": text}, len(limits), tuple(unsaid))


def logical_type(type_: str) -> str:
    """A type of Spark or Arrow in the words of the standard.

    >>> logical_type("decimal(10,2)"), logical_type("array<int>"), logical_type("timestamp[us]"), logical_type("string")
    ('number', 'array', 'timestamp', 'string')
    """
    return _LOGICAL.get(type_) or next((word for start, word in _BY_START.items() if type_.startswith(start)), "string")


def _quality(limits: list[Limit], learned: Learned) -> dict[str, Any]:
    return {"quality": [_rule(limit, learned) for limit in limits]} if limits else {}


def _rule(limit: Limit, learned: Learned) -> dict[str, Any]:
    if limit.metric == "row_count" and not learned.where:
        return {"type": "library", "metric": "rowCount", "name": "row_count", **_ends(limit.low, limit.high)}
    if limit.metric == "complete_ratio" and not learned.where:
        ends = _ends(100.0 * (1.0 - limit.high), 100.0 * (1.0 - limit.low), least=0.0)
        return {"type": "library", "metric": "nullValues", "unit": "percent", "name": "complete_ratio", **ends}
    value = filled(sql_of(limit.metric, limit.kind, limit.type), limit.column)
    condition = f" where {learned.where}" if learned.where else ""
    name = f"{limit.column} {limit.metric}".strip()
    query = f"select {value} from {learned.table}{condition}"  # noqa: S608 - written for the user, not run by us
    return {"type": "sql", "name": name, "query": query, **_ends(limit.low, limit.high)}


def _ends(low: float, high: float, least: float = -math.inf) -> dict[str, Any]:
    """The comparison in the standard's words; an end beyond what is possible is left open."""
    if math.isinf(low) or low <= least:
        return {"mustBeLessOrEqualTo": high}
    if math.isinf(high):
        return {"mustBeGreaterOrEqualTo": low}
    return {"mustBeBetween": [low, high]}


FORMAT = Format("odcs", TITLE, write)
