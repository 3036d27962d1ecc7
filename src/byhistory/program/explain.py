"""A program in words: one line a clause."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from byhistory import inject
from byhistory.constraints import Constraint
from byhistory.constraints.constraint import CONSTANT, USER
from byhistory.constraints.joint import JOINT, MEASURED
from byhistory.inject import Fault
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.prices.table import MOST
from byhistory.profile import Kind
from byhistory.program.program import Program
from byhistory.program.words import amount, duration, number, once_in, percent
from byhistory.series.transform import Transform

_MOST_FAULTS, _NOTHING = 3, 1e-8
_LARGEST_LOG = 709.0  # exp of more is no number


def explain(program: Program, metrics: Sequence[Metric] = ALL_METRICS, faults: Sequence[Fault] = inject.ALL) -> str:
    """The whole program, a line a clause, or why there is none yet.

    >>> print(explain(Program("price", Kind.NUMERIC, runs=2)))
    price: not enough history yet: have 2, need 7
    """
    if not program.clauses:
        return f"{program.column}: {program.state}"
    by_name = {m.name: m for m in metrics}
    sentences = {f.name: f.sentence for f in faults}
    head = (
        f"{program.column} ({program.kind}): {len(program.clauses)} constraint{'s' * (len(program.clauses) > 1)} "
        f"{program.state}; "
        f"a good run is stopped at most {percent(program.price)} of the time (budget {percent(program.budget)}"
        f"{_where_measured(program)})"
    )
    lines = (clause_in_words(c, by_name.get(c.metric), program.kind, sentences) for c in program.clauses)
    return "\n".join([head, *(f"  - {line}" for line in lines)])


def _where_measured(program: Program) -> str:
    """How often good runs broke such a program where it was priced; nothing of one that a person changed."""
    is_own = program.carries_rows or any(c.bound == USER or c.is_pinned for c in program.clauses)
    rate = program.joint.limits.rate(program.budget) if program.joint is not None and not is_own else None
    if rate is None or program.joint is None:
        return ""
    low, middle, high = map(percent, rate)
    cases = program.joint.limits.cases
    return f"; measured {middle}, {low} to {high} by source, on the {cases:,} good runs that prices are from"


def clause_in_words(
    clause: Constraint, metric: Metric | None, kind: Kind, sentences: Mapping[str, str] | None = None
) -> str:
    """One clause as a sentence: what must hold, what the past was, how often a good run breaks it, what it catches.

    >>> from byhistory.constraints import Evidence
    >>> from byhistory.metrics import by_name
    >>> clause = Constraint("row_count", 98_210, 104_877, price=0.001, bound="CLT",
    ...                     evidence=Evidence(30, 101_543, 1_000, 3.3, 99_800, 103_400))
    >>> print(clause_in_words(clause, by_name("row_count"), Kind.NUMERIC))
    row_count between 98,210 and 104,877 — the last 30 runs stayed within 99,800–103,400; a good run breaks this less \
than once in 1,000 (CLT)
    """
    if clause.metric == JOINT:
        most = f"at most {number(float(f'{clause.high:.3g}'))}, where one metric adds up to {number(MOST)}"
        parts = [f"surprise of all metrics together {most}"]
    elif clause.bound == JOINT:
        parts = [f"{clause.metric} usually {must(clause, metric, kind)}; all metrics were judged together"]
    else:
        parts = [f"{clause.metric}{_compared(clause.transform)} {must(clause, metric, kind)}"]
    if clause.evidence is not None:
        low, high = (amount(v, metric, kind) for v in (clause.evidence.usual_low, clause.evidence.usual_high))
        to = " to " if low.startswith("-") else "–"
        past = f"were all {low}" if low == high else f"stayed within {low}{to}{high}"
        parts.append(f" — the last {clause.evidence.runs} runs {past}")
    if clause.bound == USER:
        parts.append("; set by the user" if clause.evidence is not None else " — set by the user")
    else:
        rate = once_in(clause.price)
        how = MEASURED if clause.bound == JOINT else clause.bound
        parts.append(f"; a good run breaks this {rate if rate.startswith('less') else f'less than {rate}'} ({how})")
    if clause.is_pinned:
        parts.append("; pinned")
    if clause.faults and sentences is not None:
        known = [sentences.get(f, f) for f in clause.faults]
        more = f" and {len(known) - _MOST_FAULTS} more" if len(known) > _MOST_FAULTS else ""
        parts.append(f"; catches {'; '.join(known[:_MOST_FAULTS])}{more}")
    return "".join(parts)


def must(clause: Constraint, metric: Metric | None, kind: Kind) -> str:
    """The interval in words.

    >>> must(Constraint("complete_ratio", 0.8, math.inf), None, Kind.NUMERIC)
    'at least 0.8'
    """
    low, high = (_end(end, clause.transform, metric, kind) for end in (clause.low, clause.high))
    if clause.bound == CONSTANT and math.isfinite(clause.low + clause.high):
        middle = clause.low / 2 + clause.high / 2
        return f"exactly {_end(float(f'{middle:.9g}'), clause.transform, metric, kind)}"
    if math.isinf(clause.low) and math.isinf(clause.high):
        return "anything"
    if metric is not None and metric.scale == "ratio" and (clause.low > 1.0 - _NOTHING or clause.high < _NOTHING):
        return f"exactly {amount(round(max(clause.low, 0.0)), metric, kind)}"
    if math.isinf(clause.low) or math.isinf(clause.high):
        return f"at most {high}" if math.isinf(clause.low) else f"at least {low}"
    return f"between {low} and {high}"


def _end(end: float, transform: Transform, metric: Metric | None, kind: Kind) -> str:
    if transform.log:
        times = math.exp(end) if end < _LARGEST_LOG else math.inf
        return f"×{number(times)}" if transform.lag else amount(times, metric, kind)
    if transform.lag:
        in_time = kind is Kind.TEMPORAL and metric is not None and metric.unit == "value"
        plain = duration(end) if in_time else amount(end, metric, kind)
        return plain if end < 0 else f"+{plain}"
    return amount(end, metric, kind)


def _compared(transform: Transform) -> str:
    if not transform.lag:
        return ""
    return f", compared with {which_run(transform)},"


def which_run(transform: Transform) -> str:
    """The run that another is compared with.

    >>> which_run(Transform(lag=1)), which_run(Transform(lag=7))
    ('the run before', 'the run 7 runs before')
    """
    return "the run before" if transform.lag == 1 else f"the run {transform.lag} runs before"
