"""Great Expectations 1.x: a suite as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from byhistory.export.formats.base import Export, Format, file_name, headline
from byhistory.export.limits import Learned, Limit, Unsaid, limits_of
from byhistory.plain import as_json
from byhistory.profile import Kind

TITLE = "Great Expectations 1.x suite"
_ANY = {
    "row_count": "expect_table_row_count_to_be_between",
    "complete_ratio": "expect_column_proportion_of_non_null_values_to_be_between",
    "unique_ratio": "expect_column_proportion_of_unique_values_to_be_between",
    "dist_val_count": "expect_column_unique_value_count_to_be_between",
}
_NUMERIC = {
    "mean": "expect_column_mean_to_be_between",
    "median": "expect_column_median_to_be_between",
    "std": "expect_column_stdev_to_be_between",
    "min": "expect_column_min_to_be_between",
    "max": "expect_column_max_to_be_between",
    "sum": "expect_column_sum_to_be_between",
}
_QUANTILES = {"p1": 0.01, "p5": 0.05, "p95": 0.95, "p99": 0.99}
_WHOLE = ("row_count", "dist_val_count")


def can_say(metric: str, kind: Kind, type_: str) -> bool:  # noqa: ARG001 - every tool is asked the same way
    """Whether there is an expectation for a metric."""
    if kind in (Kind.NESTED, Kind.BINARY):
        return metric in ("row_count", "complete_ratio")
    return metric in _ANY or (kind is Kind.NUMERIC and (metric in _NUMERIC or metric in _QUANTILES))


def write(learned: Learned) -> Export:
    """The suite; the columns have to be there, in any order."""
    limits, unsaid = limits_of(learned, can_say)
    unsaid.append(Unsaid("", "the types of the columns", "their names differ by engine there"))
    names = [column.name for column in learned.columns]
    expectations = [
        {"type": "expect_table_columns_to_match_set", "kwargs": {"column_set": names, "exact_match": True}, "meta": {}},
        *(_expectation(limit) for limit in limits if limit.metric not in _QUANTILES),
        *(_quantiles(limits, name) for name in names if any(map(_is_quantile(name), limits))),
    ]
    suite = {
        "name": learned.table,
        "expectations": expectations,
        "meta": {"notes": headline(learned), "byhistory": {"not_in_here": [str(lost) for lost in unsaid]}},
    }
    text = as_json(suite) + "\n"
    return Export(TITLE, {f"{file_name(learned.table)}.gx.json": text}, len(limits), tuple(unsaid))


def _expectation(limit: Limit) -> dict[str, Any]:
    column = {"column": limit.column} if limit.column else {}
    meta = {"byhistory": {"metric": limit.metric, "by_user": limit.by_user}}
    low, high = _end(limit.low), _end(limit.high)
    if limit.metric in _WHOLE:
        low = None if low is None else math.ceil(low)
        high = None if high is None else math.floor(high)
    name = _ANY.get(limit.metric) or _NUMERIC[limit.metric]
    return {"type": name, "kwargs": {**column, "min_value": low, "max_value": high}, "meta": meta}


def _quantiles(limits: list[Limit], column: str) -> dict[str, Any]:
    """All quantiles of a column as one expectation: with several, Great Expectations measures the first for each."""
    own = sorted(filter(_is_quantile(column), limits), key=lambda limit: _QUANTILES[limit.metric])
    ranges = {
        "quantiles": [_QUANTILES[limit.metric] for limit in own],
        "value_ranges": [[_end(limit.low), _end(limit.high)] for limit in own],
    }
    meta = {"byhistory": {"metric": ", ".join(limit.metric for limit in own), "by_user": False}}
    kwargs = {"column": column, "quantile_ranges": ranges}
    return {"type": "expect_column_quantile_values_to_be_between", "kwargs": kwargs, "meta": meta}


def _is_quantile(column: str) -> Callable[[Limit], bool]:
    return lambda limit: limit.column == column and limit.metric in _QUANTILES


def _end(value: float) -> float | None:
    return value if math.isfinite(value) else None


FORMAT = Format("gx", TITLE, write)
