"""One cause, one message: what shows in many columns is reported once."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from byhistory.constraints import LEVELS, Outcome
from byhistory.constraints.always import ALWAYS
from byhistory.constraints.words import amount, digits_apart, whole_within
from byhistory.metrics import by_name
from byhistory.plain import some_of
from byhistory.profile import Kind
from byhistory.verdict.renamed import PROBABLY_RENAMED
from byhistory.verdict.sentence import is_whole
from byhistory.verdict.verdict import Finding

_NAMED = 4
"""How many columns a cause names, by choice."""
_FEW = 3
"""How many are named if there are more than that, by choice."""
_OF_WHOLE_ROWS = frozenset({"complete_ratio", "empty_ratio"})
"""Metrics that move alike in every column when whole rows are hit, whatever the column holds."""
_OF_FEWER_ROWS = frozenset({"row_count", "unique_ratio", "dist_val_count", "top_value_ratio", "lost_value_ratio"})
"""Metrics that are others when there are fewer rows, whatever these hold: more values are distinct, some are missing.

Not the sum, nor what is new: amounts in cents lead by their sum, and are no matter of rows."""
_ALIKE = 0.02
"""Shares closer than this are the same share (a choice)."""
_AS_FAR = 0.2
"""Columns moved equally far if the difference is at most this part of the way (a choice)."""
_OF_SCHEMA = {"added column": "{} new columns", "missing column": "{} columns are missing"}
"""Findings on the schema, several of which are one cause, and how they are worded then."""

CauseKey = tuple[str, str]
_ROWS: CauseKey = ("rows", "")


def grouped(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, with those of one cause in several columns merged, in the order of the first of each.

    One cause is: the rows of the table as a whole (their number, with what columns say only because of it, or that
    there are none); columns that are new, or that are missing; all values null, empty, zero or alike in several
    columns; the same share of values gone in several; the same injected fault that several columns look like; or the
    same metric moved the same way as far, in columns that are siblings. What else a column says belongs to the cause of
    its first finding. A group's own finding is its first; `columns` names all.
    """
    return tuple(finding for finding, _ in by_cause(findings))


def by_cause(findings: Iterable[Finding]) -> tuple[tuple[Finding, tuple[Finding, ...]], ...]:
    """The same as `grouped`, each with the findings that were merged into it."""
    found = list(findings)
    of_column: dict[str, list[Finding]] = defaultdict(list)
    for f in found:
        if f.outcome is not None:
            of_column[f.column].append(f)
    causes: dict[CauseKey, list[Finding]] = defaultdict(list)
    shares: list[Finding] = []
    siblings: list[Finding] = []
    rows = _level_of_rows(found)
    by_column = {
        name: _ROWS if _follows_from_rows(own, rows) else _cause_of_column(own, shares, siblings)
        for name, own in of_column.items()
    }
    for f in found:
        causes[_cause(f, by_column)].append(f)
    return tuple((_as_one(group, cause == _ROWS), tuple(group)) for cause, group in causes.items())


def _cause(finding: Finding, by_column: dict[str, CauseKey]) -> CauseKey:
    if finding.about == "empty batch" or _metric(finding) == "row_count":
        return _ROWS
    if finding.about in _OF_SCHEMA and not _is_renamed(finding):
        return finding.about, finding.level
    if finding.outcome is not None:
        return by_column[finding.column]
    if finding.about == "drift":  # what drifts at the same time is reported once
        return finding.about, ""
    return finding.about, finding.column or finding.sentence  # two notes about the table are two


def _level_of_rows(findings: Iterable[Finding]) -> int:
    """How bad it is that the number of rows is another; -1 if it is as usual."""
    return max((LEVELS.index(f.level) for f in findings if _metric(f) == "row_count"), default=-1)


def _follows_from_rows(own: Sequence[Finding], rows: int) -> bool:
    """Whether a column says only what it must when there are fewer rows or more, and is no worse than that."""
    if any(map(_is_own_rule, own)) or max(LEVELS.index(f.level) for f in own) > rows:
        return False
    return all(_metric(f) in _OF_FEWER_ROWS for f in own)


def _is_renamed(finding: Finding) -> bool:
    return finding.sentence.endswith(PROBABLY_RENAMED)


def _cause_of_column(own: Sequence[Finding], shares: list[Finding], siblings: list[Finding]) -> CauseKey:
    """The cause of the findings of one column; `shares` and `siblings` collect the first finding of each such cause."""
    first, like = own[0], own[0].resembles
    if like is not None and like.type == "volume change":
        return _ROWS
    if like is None and any(_metric(f) == "row_count" for f in own) and not any(map(_is_own_rule, own)):
        return _ROWS  # few rows make every metric noisy
    if first.outcome is not None and is_whole(first.outcome):
        return "all", first.outcome.constraint.metric
    share = next((f for f in own if _metric(f) in _OF_WHOLE_ROWS), None)
    if share is not None:
        known = next((s for s in shares if _same_share(s, share)), None)
        if known is None:
            shares.append(share)
        return "share", (known or share).column
    if like is not None:
        return "fault", like.fault
    sibling = next((s for s in siblings if _moved_alike(s, first)), None)
    if sibling is None:
        siblings.append(first)
    return "column", (sibling or first).column


def _is_own_rule(finding: Finding) -> bool:
    """Whether a rule that always stops is about the values of the column."""
    return (
        finding.outcome is not None and finding.outcome.constraint.bound == ALWAYS and _metric(finding) != "row_count"
    )


def _moved_alike(a: Finding, b: Finding) -> bool:
    """Whether the same metric moved the same way and equally far, relative to what is usual."""
    far, other = _move(a), _move(b)
    near = _AS_FAR * max(abs(far), abs(other))
    return _metric(a) == _metric(b) and far * other > 0 and abs(far - other) <= near


def _move(finding: Finding) -> float:
    """How far a value is from the middle of its interval: the logarithm of the ratio where both are above 0."""
    if finding.outcome is None:
        return 0.0
    value, low, high = finding.outcome.value, finding.outcome.low, finding.outcome.high
    middle = (low + high) / 2 if math.isfinite(low + high) else low if math.isfinite(low) else high
    if not math.isfinite(value) or not math.isfinite(middle):
        return 0.0
    return math.log(value / middle) if value > 0 and middle > 0 else value - middle


def _same_share(a: Finding, b: Finding) -> bool:
    assert a.outcome is not None and b.outcome is not None  # noqa: PT018, S101 - for the type checker
    like = a.resembles is not None and b.resembles is not None and a.resembles.fault == b.resembles.fault
    return _metric(a) == _metric(b) and (like or abs(a.outcome.value - b.outcome.value) <= _ALIKE)


def _metric(finding: Finding) -> str:
    return "" if finding.outcome is None else finding.outcome.constraint.metric


def _as_one(group: list[Finding], of_table: bool) -> Finding:
    first = group[0]
    columns = tuple(dict.fromkeys(f.column for f in group if f.column))
    if of_table:  # its own finding is about the rows, where one is
        first = next((f for f in group if f.outcome is None or _metric(f) == "row_count"), first)
    first = replace(first, level=max((f.level for f in group), key=LEVELS.index))
    if of_table:
        sentence = rows_in_words(first.outcome) if _metric(first) == "row_count" else first.sentence
        return replace(first, columns=columns, column="", sentence=sentence)
    if first.about in _OF_SCHEMA and len(columns) > 1:
        return replace(
            first,
            columns=columns,
            column="",
            sentence=f"{_OF_SCHEMA[first.about].format(len(columns))}: {some_of(columns, _NAMED)}",
        )
    is_all = first.outcome is not None and is_whole(first.outcome)  # whatever else moved follows from that
    if len(group) == 1 or (is_all and len(columns) == 1):
        return replace(first, columns=columns)
    if len(columns) == 1:
        more = "; ".join(f.sentence for f in group[1:_NAMED])
        rest = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
        return replace(first, columns=columns, sentence=f"{first.sentence}; also {more}{rest}")
    if len(columns) > _NAMED:
        sentence = f"{len(columns)} columns moved at once ({some_of(columns, _FEW)}): {first.sentence}"
    else:
        sentence = f"{first.sentence} (in {len(columns)} columns: {', '.join(columns)})"
    return replace(first, columns=columns, column="", sentence=sentence)


def rows_in_words(outcome: Outcome | None) -> str:
    """The number of rows as a headline of the table.

    >>> from byhistory.constraints import Constraint
    >>> rows_in_words(Outcome(Constraint("row_count", 119.7, 136.2), "broken", 149.0, 119.7, 136.2))
    '149 rows, usually 120 to 136'
    """
    if outcome is None:
        return ""
    evidence, kind = outcome.constraint.evidence, Kind.NUMERIC
    metric = by_name("row_count")
    low, high = outcome.low, outcome.high
    if evidence is not None and not evidence.usual_low <= outcome.value <= evidence.usual_high:
        low, high = evidence.usual_low, evidence.usual_high  # what was seen is plainer than what is allowed
    elif evidence is not None:
        low, high = max(low, evidence.usual_low), min(high, evidence.usual_high)
    low, high = whole_within(low, high, metric, outcome.value)
    digits = digits_apart(outcome.value, (low, high), metric, kind)
    past = " to ".join(dict.fromkeys(amount(v, metric, kind, digits) for v in (low, high) if math.isfinite(v)))
    return f"{amount(outcome.value, metric, kind, digits)} rows, usually {past}"
