"""OpenTelemetry: the answer as measurements of the meter that the application has set up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from byhistory.verdict import Verdict

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

METER = "byhistory"


def record(verdict: Verdict, rows: int, meter: Meter | None = None) -> None:
    """Record a verdict: how often tables were checked and with which status, the rows, and what the metrics read.

    Without a meter it is that of the application's own provider; without a provider nothing happens, as always there.
    """
    from opentelemetry import metrics

    used = meter if meter is not None else metrics.get_meter(METER)
    table = {"table": verdict.table}
    used.create_counter("byhistory.checks", description="Runs that were judged, by status").add(
        1, table | {"status": verdict.status}
    )
    used.create_gauge("byhistory.rows", unit="{row}", description="Rows of the last run").set(rows, table)
    stopping = sum(finding.stops for finding in verdict.findings)
    used.create_gauge("byhistory.findings", description="Findings that stop the last run").set(stopping, table)
    gauge = used.create_gauge("byhistory.metric", description="What a metric with a limit read in the last run")
    for column, judged in verdict.columns.items():
        for outcome in judged.outcomes:
            if math.isfinite(outcome.value):
                gauge.set(outcome.value, table | {"column": column, "metric": outcome.constraint.metric})
