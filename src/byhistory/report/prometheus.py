"""The answer as metrics for Prometheus, in the text format that its node exporter reads from a folder."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from byhistory.constraints import LEVELS
from byhistory.plain import plain
from byhistory.verdict import Verdict

STATUSES = ("as usual", "learning", "warn", "stop")


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict, with the time when it was given and the number of rows."""

    verdict: Verdict
    rows: int
    at: datetime


Sample = tuple[dict[str, str], float]


def to_prometheus(checked: Sequence[Checked]) -> str:
    """The last verdicts of some tables, one per table.

    The label of the run is not among the labels of a sample: every run would be a new time series.
    """
    families = [
        ("byhistory_status", "1 for the status of the last run, 0 for the others.", _statuses(checked)),
        ("byhistory_rows", "Rows of the last run.", [(_of(c), float(c.rows)) for c in checked]),
        ("byhistory_findings", "Findings in the last run, by their level.", _findings(checked)),
        (
            "byhistory_checked_timestamp_seconds",
            "When the last run was judged.",
            [(_of(c), c.at.timestamp()) for c in checked],
        ),
        ("byhistory_metric", "What a metric with a limit read in the last run.", _measured(checked, "value")),
        ("byhistory_metric_low", "The lowest value that is as usual.", _measured(checked, "low")),
        ("byhistory_metric_high", "The highest value that is as usual.", _measured(checked, "high")),
    ]
    return "".join(family(name, about, samples) for name, about, samples in families)


def _statuses(checked: Iterable[Checked]) -> list[Sample]:
    return [(_of(c) | {"status": s}, float(c.verdict.status == s)) for c in checked for s in STATUSES]


def _findings(checked: Iterable[Checked]) -> list[Sample]:
    return [
        (_of(c) | {"level": level}, float(sum(f.level == level for f in c.verdict.findings)))
        for c in checked
        for level in LEVELS
    ]


def _measured(checked: Iterable[Checked], what: str) -> list[Sample]:
    """One sample per column and metric; if a metric has two clauses, the first counts."""
    found: dict[tuple[str, str, str], Sample] = {}
    for c in checked:
        for column, verdict in c.verdict.columns.items():
            for outcome in verdict.outcomes:
                value = float(getattr(outcome, what))
                key = (c.verdict.table, column, outcome.constraint.metric)
                if math.isfinite(value) and key not in found:
                    found[key] = (_of(c) | {"column": column, "metric": outcome.constraint.metric}, value)
    return list(found.values())


def _of(checked: Checked) -> dict[str, str]:
    return {"table": checked.verdict.table}


def family(name: str, about: str, samples: Iterable[Sample]) -> str:
    """The samples of one metric, with its description."""
    found: dict[str, float] = {}
    for labels, value in samples:
        found.setdefault(f"{name}{_labels(labels)}", value)  # One series twice, and nothing of the page is read.
    lines = [f"{series} {value!r}" for series, value in found.items()]
    return f"# HELP {name} {about}\n# TYPE {name} gauge\n" + "".join(line + "\n" for line in lines)


def _labels(labels: dict[str, str]) -> str:
    return f"{{{','.join(_label(k, v) for k, v in labels.items())}}}" if labels else ""


def _label(name: str, value: str) -> str:
    seen = "\n".join(plain(line, len(line)) for line in value.split("\n"))  # Of controls, the format knows this one.
    escaped = seen.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return f'{name}="{escaped}"'
