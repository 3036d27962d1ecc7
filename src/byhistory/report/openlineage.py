"""The answer as an OpenLineage event: what was measured and asserted, as facets of the table that was read."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

import byhistory
from byhistory.constraints import Outcome
from byhistory.metrics import by_name
from byhistory.plain import as_json
from byhistory.profile import ColumnProfile, TableProfile
from byhistory.verdict import Finding, Verdict

PRODUCER = f"urn:byhistory:{byhistory.__version__}"
_SPEC = "https://openlineage.io/spec"
EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
METRICS = f"{_SPEC}/facets/1-0-3/DataQualityMetricsInputDatasetFacet.json#/$defs/DataQualityMetricsInputDatasetFacet"
ASSERTIONS = f"{_SPEC}/facets/1-1-0/DataQualityAssertionsDatasetFacet.json#/$defs/DataQualityAssertionsDatasetFacet"
_QUANTILES = {"0.01": "p1", "0.05": "p5", "0.5": "median", "0.95": "p95", "0.99": "p99"}
_SEVERITY = {"stop": "error", "warn": "warn", "as usual": "warn"}
"""Levels in the words of the facet, which has none for what is for information only."""


def to_openlineage(
    verdict: Verdict,
    now: TableProfile,
    *,
    at: datetime,
    run_id: str,
    namespace: str = "byhistory",
    dataset_namespace: str = "",
    indent: int | None = None,
) -> str:
    """One event in JSON, for the job `check.TABLE` that read the run; it failed if the run may not go on.

    `run_id` is a UUID from the caller, the same for the same check, so that an event that is sent twice is one event.
    """
    is_stopped = not verdict.ok and not verdict.is_shadow
    dataset = {
        "namespace": dataset_namespace or namespace,
        "name": verdict.table,
        "inputFacets": {"dataQualityMetrics": _metrics(now), "dataQualityAssertions": _assertions(verdict)},
    }
    event = {
        "eventType": "FAIL" if is_stopped else "COMPLETE",
        "eventTime": at.isoformat(),
        "run": {"runId": run_id, "facets": {}},
        "job": {"namespace": namespace, "name": f"check.{verdict.table}", "facets": {}},
        "inputs": [dataset],
        "outputs": [],
        "producer": PRODUCER,
        "schemaURL": EVENT,
    }
    return as_json(event, indent)


def _metrics(now: TableProfile) -> dict[str, Any]:
    return {
        "_producer": PRODUCER,
        "_schemaURL": METRICS,
        "rowCount": now.rows,
        "columnMetrics": {name: _column(now[name]) for name in now},
    }


def _column(profile: ColumnProfile) -> dict[str, Any]:
    """The numbers that the facet has fields for; what is undefined is left out."""
    measured = {
        "nullCount": profile.nulls,
        "count": profile.present,
        "distinctCount": None if profile.values is None else round(profile.distinct),
        **{name: _value(profile, name) for name in ("sum", "min", "max")},
    }
    quantiles = {part: value for part, name in _QUANTILES.items() if (value := _value(profile, name)) is not None}
    body = {name: value for name, value in measured.items() if value is not None}
    return body | ({"quantiles": quantiles} if quantiles else {})


def _value(profile: ColumnProfile, metric: str) -> float | None:
    value = by_name(metric).compute(profile) if profile.kind in by_name(metric).kinds else math.nan  # type: ignore[arg-type]  # of one run
    return float(value) if math.isfinite(value) else None


def _assertions(verdict: Verdict) -> dict[str, Any]:
    clauses = [
        _clause(name, outcome)
        for name, column in verdict.columns.items()
        for outcome in column.outcomes
        if outcome.status != "not evaluable"
    ]
    others = [_finding(finding) for finding in verdict.findings if finding.outcome is None]
    return {"_producer": PRODUCER, "_schemaURL": ASSERTIONS, "assertions": [*others, *clauses]}


def _clause(column: str, outcome: Outcome) -> dict[str, Any]:
    low, high = (f"{end:g}" if math.isfinite(end) else "" for end in (outcome.low, outcome.high))
    return {
        "assertion": outcome.constraint.metric,
        "success": outcome.status == "holds",
        "column": column,
        "severity": _SEVERITY[outcome.level],
        "expected": f"{low}..{high}",
        "actual": f"{outcome.value:g}",
    }


def _finding(finding: Finding) -> dict[str, Any]:
    about = {"column": finding.column} if finding.column else {}
    severity = "error" if finding.stops else "warn"
    return {
        "assertion": finding.about,
        "success": False,
        **about,
        "severity": severity,
        "description": finding.sentence,
    }
