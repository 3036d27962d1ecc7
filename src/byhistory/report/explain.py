"""A program in words: one line per clause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from byhistory import inject
from byhistory.constraints import Constraint
from byhistory.constraints.constraint import JOINT, MEASURED, USER
from byhistory.constraints.words import ANYTHING, amount, must, number, once_in, percent, warned, which_run
from byhistory.inject import Fault
from byhistory.learners import ALL as ALL_LEARNERS
from byhistory.learners import Learner, Program, by_name
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.series.transform import Transform

_MOST_FAULTS = 3
"""How many faults a line names, by choice."""


def explain(
    program: Program,
    metrics: Sequence[Metric] = ALL_METRICS,
    faults: Sequence[Fault] = inject.ALL,
    learners: Sequence[Learner] = ALL_LEARNERS,
    role: str = "",
) -> str:
    """The whole program, one line per clause, or why there is none yet; `role` is what the column is for.

    >>> print(explain(Program("price", Kind.NUMERIC, runs=2)))
    price: not enough history yet: have 2, need 7
    """
    if not program.clauses:
        return f"{program.column}: {program.state}"
    known = {m.name: m for m in metrics}
    sentences = {f.name: f.sentence for f in faults}
    many = "s" * (len(program.clauses) > 1)
    head = (
        f"{program.column} ({_is_what(program, role)}): {len(program.clauses)} constraint{many} "
        f"{program.state}; "
        f"a good run is stopped at most {percent(program.price)} of the time (budget {percent(program.budget)}"
        f"{_where_measured(program, learners)})"
    )
    lines = [clause_in_words(c, known.get(c.metric), program.kind, sentences) for c in program.clauses]
    return "\n".join([head, *(f"  - {line}" for line in lines)])


def _is_what(program: Program, role: str) -> str:
    return f"{program.kind}, {role}" if role and role != program.kind else str(program.kind)


def in_short(program: Program, metrics: Sequence[Metric] = ALL_METRICS, role: str = "") -> str:
    """A program in one line: what must hold, without its evidence; `rows_in_short` tells about the rows of the table.

    >>> in_short(Program("price", Kind.NUMERIC, (Constraint("complete_ratio", 0.8, 1.0),), runs=9))
    'price (numeric): complete_ratio between 80 % and 100 % (set by the user)'
    """
    known = {m.name: m for m in metrics}
    clauses = [c for c in program.clauses if c.metric != "row_count"]
    if not program.clauses:
        return f"{program.column}: {program.state}"
    own = [_bare(c, known.get(c.metric), program.kind) for c in clauses if c.metric != JOINT]
    if any(c.metric == JOINT for c in clauses):
        own.append("all metrics together")
    return f"{program.column} ({_is_what(program, role)}): {'; '.join(own) or 'only the number of rows'}"


def rows_in_short(programs: Iterable[Program], metrics: Sequence[Metric] = ALL_METRICS) -> str:
    """What must hold for the number of rows of the table, in one line; empty if nothing must."""
    known = {m.name: m for m in metrics}
    judged = [(p, c) for p in programs for c in p.clauses if c.metric == "row_count"]
    first = next((pair for pair in judged if pair[0].carries_rows), next(iter(judged), None))
    if first is None:
        return ""
    limit = _bare(first[1], known.get("row_count"), first[0].kind)
    return f"rows of the table: {'judged with all metrics together' if limit.endswith(ANYTHING) else limit}"


def _bare(clause: Constraint, metric: Metric | None, kind: Kind) -> str:
    name = "" if clause.metric == "row_count" else f"{clause.metric} "
    own = " (set by the user)" if clause.bound == USER else " (pinned)" if clause.is_pinned else ""
    since = f"{_compared(clause.transform).strip(', ')} " if clause.transform.lag else ""
    also = warned(clause, metric, kind)
    return f"{name}{since}{must(clause, metric, kind)}{own}{f' ({also})' if also else ''}"


def _where_measured(program: Program, learners: Sequence[Learner]) -> str:
    """How often good runs broke such a program when it was priced; empty if a person has changed it."""
    is_own = program.carries_rows or any(c.bound == USER or c.is_pinned for c in program.clauses)
    rate = None if is_own else by_name(program.learner, learners).measured(program)
    if rate is None:
        return ""
    share, low, high = map(percent, (rate.share, rate.low, rate.high))
    return f"; measured {share}, {low} to {high} by source, on the {rate.cases:,} good runs that prices are from"


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
        warns = f" (a warning from {_short(clause.warn_high)} on)" if clause.warn_high < clause.high else ""
        parts = [f"surprise of all metrics together at most {_short(clause.high)}{warns}"]
    elif clause.bound == JOINT:
        parts = [f"{clause.metric} usually {must(clause, metric, kind)}; all metrics were judged together"]
    else:
        also = warned(clause, metric, kind)
        held = must(clause, metric, kind)
        must_be = f"{'may be ' * (held == ANYTHING)}{held}{f' ({also})' if also else ''}"
        parts = [f"{clause.metric}{_compared(clause.transform)} {must_be}"]
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


def _short(surprise: float) -> str:
    return number(float(f"{surprise:.3g}"))


def _compared(transform: Transform) -> str:
    if not transform.lag:
        return ""
    return f", compared with {which_run(transform)},"
