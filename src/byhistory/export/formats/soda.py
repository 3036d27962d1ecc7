"""SodaCL, as Soda Core 3 reads it."""

from __future__ import annotations

import math
from typing import Any

from byhistory.export.formats.base import Export, Format, comment, file_name, without_templates
from byhistory.export.limits import Learned, Limit, limits_of
from byhistory.export.sql import can_say, filled, sql_of
from byhistory.export.yaml import number, to_yaml

TITLE = "SodaCL for Soda Core 3"
FILTER = "run"
"""The name of the condition on the rows, if there is one."""


def write(learned: Learned) -> Export:
    """Checks for one data set."""
    learned, unsafe = without_templates(learned, "soda")
    limits, unsaid = limits_of(learned, can_say)
    unsaid += unsafe
    columns = [column.name for column in learned.columns]
    checks: list[Any] = [
        {"schema": {"name": "columns are there", "fail": {"when required column missing": columns}}},
        *(_check(limit) for limit in limits),
    ]
    body: dict[str, Any] = {}
    if learned.where:
        body[f"filter {learned.table} [{FILTER}]"] = {"where": learned.where}
    body[f"checks for {learned.table}{f' [{FILTER}]' if learned.where else ''}"] = checks
    text = to_yaml(body, comment(learned, unsaid))
    return Export(TITLE, {f"{file_name(learned.table)}.soda.yml": text}, len(limits), tuple(unsaid))


def _check(limit: Limit) -> dict[str, Any]:
    if limit.metric == "row_count":
        return {f"row_count {_ends(limit)}": {"name": "row_count"}}
    metric = file_name(f"{limit.column}_{limit.metric}").replace("-", "_").lower()
    value = filled(sql_of(limit.metric, limit.kind, limit.type), limit.column)
    return {f"{metric} {_ends(limit)}": {"name": f"{limit.column} {limit.metric}", f"{metric} expression": value}}


def _ends(limit: Limit) -> str:
    if math.isinf(limit.low):
        return f"<= {number(limit.high)}"
    if math.isinf(limit.high):
        return f">= {number(limit.low)}"
    return f"between {number(limit.low)} and {number(limit.high)}"


FORMAT = Format("soda", TITLE, write)
