"""A verdict as JSON for machines, and back: versioned, documented in docs/reference/verdict-json.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from byhistory.constraints import Constraint, Evidence, Outcome
from byhistory.errors import ByHistoryError
from byhistory.profile.unzip import DAMAGE
from byhistory.series.transform import Transform
from byhistory.verdict.unjudged import Unjudged
from byhistory.verdict.verdict import ColumnVerdict, Finding, Resemblance, Verdict

VERSION = 1
"""The version of the JSON of a verdict."""


def to_json(verdict: Verdict, indent: int | None = 2) -> str:
    """The verdict as JSON; what is undefined or open is null.

    Only ASCII, so that a hostile name reaches a terminal or a log as an escape and nothing else.
    """
    return json.dumps(to_dict(verdict), indent=indent)


def from_json(text: str) -> Verdict:
    """The verdict back, without the faults that its clauses were chosen for, which only the program has.

    >>> from_json(to_json(Verdict("7", (), {}, table="orders"))).table
    'orders'
    """
    try:
        body = json.loads(text)
        version = body.get("byhistory_verdict")
        if version != VERSION:
            raise ByHistoryError("read a verdict", f"format {version}", f"use a release that knows it; {VERSION} is")
        columns = {name: _column_of(name, c) for name, c in body["columns"].items()}
        findings = tuple(_finding_of(f, columns) for f in body["findings"])
        unjudged = tuple(Unjudged(u["column"] or "", u["why"]) for u in body.get("unjudged", ()))
        is_learning, is_shadow = body["status"] == "learning", body.get("shadow", False)
        return Verdict(body["run"], findings, columns, is_learning, body["table"], is_shadow, unjudged)
    except DAMAGE as why:
        found = f"text that is none ({type(why).__name__}: {why})"
        raise ByHistoryError("read a verdict", found, "check that run again") from why


def to_dict(verdict: Verdict) -> dict[str, Any]:
    """The same as plain Python values."""
    return {
        "byhistory_verdict": VERSION,
        "table": verdict.table,
        "run": verdict.run,
        "ok": verdict.ok,
        "level": verdict.level,
        "status": verdict.status,
        "shadow": verdict.is_shadow,
        "findings": [_finding(f) for f in verdict.findings],
        "columns": {name: _column(c) for name, c in verdict.columns.items()},
        "unjudged": [{"column": u.column or None, "why": u.why} for u in verdict.unjudged],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    like = finding.resembles
    return {
        "about": finding.about,
        "column": finding.column or None,
        "columns": list(finding.columns),
        "level": finding.level,
        "stops": finding.stops,
        "sentence": finding.sentence,
        "since": finding.since or None,
        "again": finding.again or None,
        "resembles": None
        if like is None
        else {
            "fault": like.fault,
            "type": like.type,
            "sentence": like.sentence,
            "likeness": round(like.likeness, 3),
        },
        **({} if finding.outcome is None else _outcome(finding.outcome) | {"level": finding.level}),
    }


def _column(column: ColumnVerdict) -> dict[str, Any]:
    clauses = [_outcome(o) | {"clause": _clause(o.constraint)} for o in column.outcomes]
    return {"state": column.state, "clauses": clauses}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    clause = outcome.constraint
    return {
        "metric": clause.metric,
        "status": outcome.status,
        "value": _number(outcome.value),
        "low": _number(outcome.low),
        "high": _number(outcome.high),
        "compared_with_runs_before": clause.transform.lag or None,
        "bound": clause.bound,
        "price": _number(clause.price),
        "rarity": _number(outcome.rarity),
        "sigmas": _number(outcome.sigmas),
        "reason": outcome.reason or None,
        "level": outcome.level if outcome.status == "broken" else None,
    }


def _clause(clause: Constraint) -> dict[str, Any]:
    """What the outcome does not say already: the interval in units of what is compared, and where it came from."""
    evidence = None
    if clause.evidence is not None:
        evidence = {name: _number(value) for name, value in asdict(clause.evidence).items()}
    return {
        "low": _number(clause.low),
        "high": _number(clause.high),
        "log": clause.transform.log,
        "pinned": clause.is_pinned,
        "evidence": evidence,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


# --- and back ---------------------------------------------------------------------------------------------------------


def _column_of(name: str, body: Mapping[str, Any]) -> ColumnVerdict:
    return ColumnVerdict(name, tuple(_outcome_of(o) for o in body["clauses"]), body["state"])


def _finding_of(body: Mapping[str, Any], columns: Mapping[str, ColumnVerdict]) -> Finding:
    column, like = body["column"] or "", body["resembles"]
    outcome = None
    if body.get("metric") is not None:
        broken = columns[column].broken if column in columns else ()
        outcome = next((o for o in broken if o.constraint.metric == body["metric"]), None) or _outcome_of(body)
    return Finding(
        body["about"],
        column,
        body["sentence"],
        body.get("level") or ("stop" if body["stops"] else "as usual"),
        outcome,
        body["since"] or "",
        None if like is None else Resemblance(like["fault"], like["sentence"], like["likeness"], like.get("type", "")),
        tuple(body["columns"]),
        body.get("again") or "",
    )


def _outcome_of(body: Mapping[str, Any]) -> Outcome:
    inner = body.get("clause") or {"low": body["low"], "high": body["high"]}
    evidence = inner.get("evidence")
    clause = Constraint(
        body["metric"],
        -math.inf if inner["low"] is None else inner["low"],
        math.inf if inner["high"] is None else inner["high"],
        Transform(body["compared_with_runs_before"] or 0, inner.get("log", False)),
        body["bound"],
        body["price"] or 0.0,
        None if evidence is None else _evidence_of(evidence),
        is_pinned=inner.get("pinned", False),
    )
    # Only an infinite distance is written as null and still broken: what is undefined is not evaluable.
    value = math.inf if body["value"] is None and body["status"] == "broken" else _or_nan(body["value"])
    # What warns may have an end where what stops is open: the ends of the outcome are those that were broken.
    low = clause.low if body["low"] is None and math.isinf(clause.low) else _or_nan(body["low"])
    high = clause.high if body["high"] is None and math.isinf(clause.high) else _or_nan(body["high"])
    return Outcome(
        clause,
        body["status"],
        value,
        low,
        high,
        _or_nan(body["rarity"]),
        _or_nan(body["sigmas"]),
        body["reason"] or "",
        body.get("level") or "stop",
    )


def _evidence_of(body: Mapping[str, Any]) -> Evidence:
    numbers: dict[str, Any] = {name: _or_nan(value) for name, value in body.items()}
    return Evidence(**numbers)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
