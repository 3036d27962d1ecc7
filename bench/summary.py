"""From the scores of the methods to the numbers that are shown: one entry per method, numeric and categorical apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from bench.by_table import by_table
from bench.cases.cases import ColumnCases
from bench.judge import BAD, GOOD, INCIDENT, SETS, Scores, count
from bench.methods.base import Method
from bench.score import (
    BUDGETS,
    RATES,
    RESAMPLES,
    SWEEP,
    Quality,
    Rate,
    alarms_above,
    any_of,
    by_label,
    clopper_pearson,
    quality,
    recall_at,
    resamples,
    share_by_source,
    threshold_at,
)

from byhistory.profile import Kind
from byhistory.profile.arrays import Bools, Floats, Ints

KINDS = (Kind.NUMERIC, Kind.CATEGORICAL)
WHOLE_ROWS = frozenset({"rows missing", "rows repeated", "segment missing", "stale copy", "volume change"})
"""Types of fault that all columns of a table suffer at once."""
COMPARED = 0.01
"""The measured rate at which recall is broken down."""
PRECISE = 0.95
"""The precision at which the paper compares the best methods."""


@dataclass(frozen=True)
class Cases:
    """The cases of one set, one row per case: where each comes from and what it is called."""

    kind: Ints
    """Of the column: its place in KINDS."""
    column: Ints
    source: Ints
    table: Ints
    run: Ints
    domain: Any
    name: Any
    type: Any

    def __len__(self) -> int:
        return len(self.column)

    def where(self, mask: Bools) -> Cases:
        """Some of them."""
        return Cases(*(getattr(self, f.name)[mask] for f in fields(self)))


@dataclass(frozen=True)
class Layout:
    """All cases by set, in the order in which methods answer."""

    columns: tuple[ColumnCases, ...]
    sources: tuple[str, ...]
    tables: tuple[str, ...]
    sets: dict[str, Cases]

    @classmethod
    def of(cls, columns: Sequence[ColumnCases]) -> Layout:
        sources = sorted({c.source for c in columns})
        tables = sorted({c.table for c in columns})
        return cls(
            tuple(columns), tuple(sources), tuple(tables), {n: _cases(columns, n, sources, tables) for n in SETS}
        )


def _cases(columns: Sequence[ColumnCases], name: str, sources: list[str], tables: list[str]) -> Cases:
    sizes = [count(c, name) for c in columns]

    def spread(values: Sequence[Any], dtype: Any) -> Any:
        return np.repeat(np.array(values, dtype), sizes)

    names: list[Any] = []
    types: list[Any] = []
    runs: list[Any] = []
    for c in columns:
        bad = c.bad.get(name)
        if name == GOOD:
            runs += c.windows
            names += [""] * len(c.windows)
            types += [""] * len(c.windows)
        elif bad is not None:
            runs += c.incidents_at if name == INCIDENT else [c.recall_at] * len(bad.names)
            names += bad.names
            types += bad.types
    return Cases(
        spread([KINDS.index(c.kind) for c in columns], np.int64),
        spread(range(len(columns)), np.int64),
        spread([sources.index(c.source) for c in columns], np.int64),
        spread([tables.index(c.table) for c in columns], np.int64),
        np.array(runs, np.int64),
        spread([c.domain for c in columns], object),
        np.array(names, object),
        np.array(types, object),
    )


def joined(parts: Sequence[Scores]) -> Scores:
    """The scores of several tables as of one."""
    has_budget = all(p.alarms for p in parts) and bool(parts)
    return Scores(
        {name: np.concatenate([p.scores[name] for p in parts]) for name in SETS},
        {name: np.concatenate([p.alarms[name] for p in parts]) for name in SETS} if has_budget else {},
        sum(p.failed for p in parts),
        sum(p.seconds for p in parts),
        next((p.error for p in parts if p.error), ""),
    )


def describe(layout: Layout) -> dict[str, Any]:
    """What is compared: how many cases of which sort."""
    return {
        "tables": len(layout.tables),
        "sources": len(layout.sources),
        "domains": len({c.domain for c in layout.columns}),
        **{
            kind.value: {
                "columns": sum(c.kind is kind for c in layout.columns),
                **{name: int((layout.sets[name].kind == i).sum()) for name in SETS},
                "incident_named": int(_of(layout, INCIDENT, i).sum()),
            }
            for i, kind in enumerate(KINDS)
        },
    }


def summarise(method: Method, judged: Scores, layout: Layout, seed: int, times: int = RESAMPLES) -> dict[str, Any]:
    """All numbers of one method; they are plain, so that they can be written as JSON."""
    weights = resamples(len(layout.sources), times, seed)
    entry: dict[str, Any] = {
        "title": method.title,
        "group": method.group,
        "note": method.note,
        "seconds": round(judged.seconds, 1),
        "failed": judged.failed,
        "error": judged.error,
    }
    for i, kind in enumerate(KINDS):
        if kind in method.kinds and any(c.kind is kind for c in layout.columns):
            entry[kind.value] = _of_kind(Answers.of(judged, layout, i), weights)
    entry["table"] = _of_tables(method, judged, layout)
    if not method.is_upper_bound:
        entry["by_table"] = _plain(by_table(judged, layout, WHOLE_ROWS, weights))
    return entry


def _of(layout: Layout, name: str, kind: int) -> Bools:
    """The cases that count: of a kind; of incidents only in columns that the report named."""
    cases = layout.sets[name]
    mine = cases.kind == kind
    return np.asarray(mine & (cases.type == "named")) if name == INCIDENT else np.asarray(mine)


@dataclass(frozen=True)
class Answers:
    """The scores of the columns of one kind, by set, beside where the cases come from."""

    scores: dict[str, Floats]
    alarms: dict[str, Bools]
    cases: dict[str, Cases]
    columns: int

    @classmethod
    def of(cls, judged: Scores, layout: Layout, kind: int) -> Answers:
        mine = {name: _of(layout, name, kind) for name in SETS}
        return cls(
            {name: judged.scores[name][mine[name]] for name in SETS},
            {name: judged.alarms[name][mine[name]] for name in SETS} if judged.alarms else {},
            {name: layout.sets[name].where(mine[name]) for name in SETS},
            len(layout.columns),
        )

    def quality(self, name: str, false: Bools, true: Bools) -> Quality:
        return quality(false, self.cases[GOOD].column, true, self.cases[name].column, self.columns)


def _of_kind(answers: Answers, weights: Floats) -> dict[str, Any]:
    good, cases = answers.scores[GOOD], answers.cases
    at = threshold_at(good, COMPARED)
    caught = {name: alarms_above(answers.scores[name], at) for name in (*BAD, INCIDENT)}
    entry = {
        "good": len(good),
        "unsaid": int(np.isnan(good).sum()),
        "recall": {n: {str(r): _at_rate(answers, n, r, weights) for r in RATES} for n in (*BAD, INCIDENT)},
        "by_type": {n: by_label(caught[n], cases[n].type) for n in BAD},
        "by_name": {n: by_label(caught[n], cases[n].name) for n in ("seen", "unseen", INCIDENT)},
        "by_domain": {n: by_label(caught[n], cases[n].domain) for n in BAD},
        "false_by_domain": by_label(alarms_above(good, at), cases[GOOD].domain),
        "curve": {n: _curve(answers, n) for n in BAD},
    }
    if answers.alarms:
        entry["budgets"] = {str(budget): _at_budget(answers, i, weights) for i, budget in enumerate(BUDGETS)}
    return _plain(entry)


def _at_rate(answers: Answers, name: str, rate: float, weights: Floats) -> dict[str, Any]:
    good, bad = answers.scores[GOOD], answers.scores[name]
    sources = answers.cases[GOOD].source, answers.cases[name].source
    caught, threshold = recall_at(good, sources[0], bad, sources[1], rate=rate, weights=weights)
    false = alarms_above(good, threshold)
    return {
        "recall": caught.share,
        "low": caught.low,
        "high": caught.high,
        "n": caught.of,
        "threshold": threshold,
        "fpr": _rate(clopper_pearson(int(false.sum()), len(false))),
        "quality": asdict(answers.quality(name, false, alarms_above(bad, threshold))),
    }


def _curve(answers: Answers, name: str) -> dict[str, Any]:
    """The method at many thresholds, and at the best of them."""
    good, bad = answers.scores[GOOD], answers.scores[name]
    points = []
    for threshold in sorted({threshold_at(good, rate) for rate in SWEEP}, reverse=True):
        false = alarms_above(good, threshold)
        q = answers.quality(name, false, alarms_above(bad, threshold))
        points.append({"fpr": float(false.mean()) if len(false) else np.nan, **asdict(q), "f1": q.f1})
    precise = [p["recall_macro"] for p in points if p["precision_macro"] >= PRECISE]
    best = max(points, key=lambda p: float(np.nan_to_num(p["f1"])))
    drawn = [[p["fpr"], p["recall_micro"]] for p in points]
    return {"points": drawn, "best_f1": best, "best_at_precision_95": max(precise, default=0.0)}


def _at_budget(answers: Answers, budget: int, weights: Floats) -> dict[str, Any]:
    alarms = {name: of[:, budget] for name, of in answers.alarms.items()}
    false, cases = alarms[GOOD], answers.cases
    rate = clopper_pearson(int(false.sum()), len(false))
    drawn = share_by_source(false, cases[GOOD].source, weights)
    return {
        "fpr": rate.share,
        "low": rate.low,
        "high": rate.high,
        "n": rate.of,
        "alarms": int(false.sum()),
        "low_by_source": drawn.low,
        "high_by_source": drawn.high,
        "recall": {n: _rate(share_by_source(alarms[n], cases[n].source, weights)) for n in (*BAD, INCIDENT)},
        "quality": {n: asdict(answers.quality(n, false, alarms[n])) for n in BAD},
        "by_type": {n: by_label(alarms[n], cases[n].type) for n in BAD},
    }


# --- a run of a table is stopped if any of its columns is -----------------------------------------------------------


def _of_tables(method: Method, judged: Scores, layout: Layout) -> dict[str, Any]:
    """At the thresholds of the columns and, for a learner, at its budgets."""
    found: dict[str, Any] = {"rates": {}}
    for rate in RATES:
        stopped = {name: np.zeros(len(layout.sets[name]), bool) for name in SETS}
        for i, kind in enumerate(KINDS):
            if kind in method.kinds:
                threshold = threshold_at(judged.scores[GOOD][layout.sets[GOOD].kind == i], rate)
                for name in SETS:
                    mine = layout.sets[name].kind == i
                    stopped[name][mine] = alarms_above(judged.scores[name][mine], threshold)
        found["rates"][str(rate)] = _tables(stopped, layout)
    if judged.alarms:
        found["budgets"] = {
            str(budget): _tables({name: judged.alarms[name][:, i] for name in SETS}, layout)
            for i, budget in enumerate(BUDGETS)
        }
    return _plain(found)


def _tables(stopped: dict[str, Bools], layout: Layout) -> dict[str, Any]:
    good = layout.sets[GOOD]
    _, false = any_of(stopped[GOOD], good.table * 1_000_000 + good.run)
    found = {"fpr": _rate(clopper_pearson(int(false.sum()), len(false)))}
    for name in ("seen", "unseen", INCIDENT):
        cases = layout.sets[name]
        mine = np.array([name == INCIDENT or t in WHOLE_ROWS for t in cases.type], bool)
        _, codes = np.unique(cases.name[mine].astype(str), return_inverse=True)
        _, caught = any_of(stopped[name][mine], cases.table[mine] * 1_000_000 + codes)
        found[name] = _rate(clopper_pearson(int(caught.sum()), len(caught)))
    return found


def _rate(rate: Rate) -> dict[str, Any]:
    return {"share": rate.share, "low": rate.low, "high": rate.high, "n": rate.of}


def _plain(value: Any) -> Any:
    """Without what JSON does not have: undefined is null; five figures are enough."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float | np.floating):
        return round(float(value), 5) if np.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value
