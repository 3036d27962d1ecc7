"""One cause, one message: what many columns say together is said once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from byhistory.verdict.verdict import Finding

_TOLD = 4
_OF_WHOLE_ROWS = frozenset({"complete_ratio", "empty_ratio"})
"""Metrics that move alike in every column when whole rows are hit, whatever the column holds."""
_ALIKE = 0.02
"""Shares closer than this are the same share."""

Cause = tuple[str, str]
_ROWS: Cause = ("rows", "")


def grouped(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, those with one cause in several columns put together, in the order of their first.

    One cause is: the rows of the table as a whole (their number, or that there are none); the same share of values gone
    in several columns; or the same injected fault that several columns look like. What else a column says
    belongs to the cause of its least likely finding. A group's own finding is its first; `columns` names all.
    """
    return tuple(together for together, _ in by_cause(findings))


def by_cause(findings: Iterable[Finding]) -> tuple[tuple[Finding, tuple[Finding, ...]], ...]:
    """As `grouped`, each with the findings that it puts together."""
    found = list(findings)
    of_column: dict[str, list[Finding]] = defaultdict(list)
    for f in found:
        if f.outcome is not None:
            of_column[f.column].append(f)
    causes: dict[Cause, list[Finding]] = defaultdict(list)
    shares: list[Finding] = []
    by_column = {name: _cause_of_column(own, shares) for name, own in of_column.items()}
    for f in found:
        causes[_cause(f, by_column)].append(f)
    return tuple((_together(group, cause == _ROWS), tuple(group)) for cause, group in causes.items())


def _cause(finding: Finding, by_column: dict[str, Cause]) -> Cause:
    if finding.about == "empty batch" or _metric(finding) == "row_count":
        return _ROWS
    return by_column[finding.column] if finding.outcome is not None else (finding.about, finding.column)


def _cause_of_column(own: Sequence[Finding], shares: list[Finding]) -> Cause:
    """What the findings of one column are put down to; `shares` collects the first finding of every share."""
    first, like = own[0], own[0].resembles
    if like is not None and like.type == "volume change":
        return _ROWS
    if like is None and any(_metric(f) == "row_count" for f in own):  # few rows make every metric noisy
        return _ROWS
    share = next((f for f in own if _metric(f) in _OF_WHOLE_ROWS), None)
    if share is not None:
        known = next((s for s in shares if _same_share(s, share)), None)
        if known is None:
            shares.append(share)
        return "share", (known or share).column
    return ("fault", like.fault) if like is not None else ("column", first.column)


def _same_share(a: Finding, b: Finding) -> bool:
    assert a.outcome is not None and b.outcome is not None  # noqa: PT018, S101 - for the type checker
    like = a.resembles is not None and b.resembles is not None and a.resembles.fault == b.resembles.fault
    return _metric(a) == _metric(b) and (like or abs(a.outcome.value - b.outcome.value) <= _ALIKE)


def _metric(finding: Finding) -> str:
    return "" if finding.outcome is None else finding.outcome.constraint.metric


def _together(group: list[Finding], of_table: bool) -> Finding:
    first = group[0]
    if of_table:  # its own finding is about the rows, where one is
        first = next((f for f in group if f.outcome is None or _metric(f) == "row_count"), first)
    columns = tuple(dict.fromkeys(f.column for f in group if f.column))
    if of_table and len(columns) > 1:
        return replace(first, columns=columns, column="")
    if len(group) == 1:
        return replace(first, columns=columns)
    if len(columns) == 1:
        more = "; ".join(f.sentence for f in group[1:_TOLD])
        rest = f" and {len(group) - _TOLD} more" if len(group) > _TOLD else ""
        return replace(first, columns=columns, sentence=f"{first.sentence}; also {more}{rest}")
    named = ", ".join(columns[:_TOLD]) + (f" and {len(columns) - _TOLD} more" if len(columns) > _TOLD else "")
    return replace(first, columns=columns, column="", sentence=f"{first.sentence} (in {len(columns)} columns: {named})")
