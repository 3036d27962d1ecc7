"""dbt: a generic test that measures, and the limits as its arguments."""

from __future__ import annotations

import math
from typing import Any

from byhistory.export.formats.base import Export, Format, comment, file_name, without_templates
from byhistory.export.limits import Learned, Limit, limits_of
from byhistory.export.sql import can_say, sql_of
from byhistory.export.yaml import to_yaml

TITLE = "dbt data tests"
TEST = "byhistory_limit"
MACRO = """\
{# One learned limit. A value that is null cannot be judged, which is no failure. #}
{% test byhistory_limit(model, metric, value, low=none, high=none, column_name=none) %}
{%- set value = value | replace('{column}', adapter.quote(column_name) if column_name else '') -%}
with measured as (select {{ value }} as value from {{ model }})
select '{{ metric }}' as metric, value from measured
where false
{%- if low is not none %} or value < {{ low }}{% endif %}
{%- if high is not none %} or value > {{ high }}{% endif %}
{% endtest %}
"""


def write(learned: Learned) -> Export:
    """The test as a macro, and a file of properties that applies it to the model of the table's name."""
    learned, unsafe = without_templates(learned, "dbt")
    limits, unsaid = limits_of(learned, can_say)
    unsaid += unsafe
    model = learned.table.rpartition(".")[2]
    columns = [
        {"name": column.name, "data_tests": tests}
        for column in learned.columns
        if (tests := [_test(limit, learned) for limit in limits if limit.column == column.name])
    ]
    entry: dict[str, Any] = {"name": model}
    if of_table := [_test(limit, learned) for limit in limits if not limit.column]:
        entry["data_tests"] = of_table
    body = {"version": 2, "models": [{**entry, "columns": columns}]}
    text = to_yaml(body, comment(learned, unsaid))
    files = {f"models/byhistory_{file_name(model)}.yml": text, f"tests/generic/{TEST}.sql": MACRO}
    return Export(TITLE, files, len(limits), tuple(unsaid))


def _test(limit: Limit, learned: Learned) -> dict[str, Any]:
    arguments: dict[str, Any] = {"metric": limit.metric, "value": sql_of(limit.metric, limit.kind, limit.type)}
    arguments |= {name: end for name, end in (("low", limit.low), ("high", limit.high)) if math.isfinite(end)}
    named = "_".join(file_name(part) for part in (learned.table, limit.column, limit.metric) if part)
    test: dict[str, Any] = {"name": f"byhistory_{named}", "arguments": arguments}
    if learned.where:
        test["config"] = {"where": learned.where}
    return {TEST: test}


FORMAT = Format("dbt", TITLE, write)
