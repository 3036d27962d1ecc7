"""A verdict as plain text: what `str(verdict)` says."""

from __future__ import annotations

from collections import defaultdict

from byhistory.learners.calibrated.joint import JOINT
from byhistory.plain import plain_sentence
from byhistory.verdict.verdict import Finding, Verdict

_TOLD = 4
"""Columns that one line names, by choice."""


def verdict_in_words(verdict: Verdict) -> str:
    """The verdict for a person: the answer first, then one line per finding, then what could not be judged."""
    lines = [_headline(verdict)]
    lines += [f"  - {_finding(f, verdict.run)}" for f in verdict.causes]
    return "\n".join(plain_sentence(line) for line in (*lines, *_not_judged(verdict)))


def _not_judged(verdict: Verdict) -> list[str]:
    """One line per reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for column in verdict.columns.values():
        for o in column.not_evaluable:
            is_all = o.constraint.metric == JOINT
            reasons[o.reason].append(column.column if is_all else f"{column.column}.{o.constraint.metric}")
    alike: dict[str, list[str]] = defaultdict(list)
    for one in verdict.unjudged:
        alike[one.why].append(one.column or "the number of rows")
    clauses = [f"  · {_listed(names)} could not be judged: {reason}" for reason, names in reasons.items()]
    return [*clauses, *(f"  · {_listed(names)}: {why}" for why, names in alike.items())]


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_TOLD]) + (f" and {len(names) - _TOLD} more" if len(names) > _TOLD else "")


def _headline(verdict: Verdict) -> str:
    name = f"Run {verdict.run}" if verdict.run else "This run"
    if verdict.level != "as usual":
        found = [f for f in verdict.findings if f.level == verdict.level]
        columns = {f.column for f in found if f.column}
        where = f" in {_plural(len(columns), 'column')}" if columns else ""
        what = "is not as usual" if not verdict.ok else "passes with a warning"
        return f"{name} {what}: {_plural(len(found), 'finding')}{where}."
    if verdict.is_learning:
        state = next((c.state for c in verdict.columns.values() if c.state), "not enough history yet")
        return f"{name} passes, nothing is judged: {state}."
    held = [count for c in verdict.columns.values() if (count := sum(o.status == "holds" for o in c.outcomes))]
    unjudged = sum(len(c.not_evaluable) for c in verdict.columns.values())
    but = f", {unjudged} could not be judged" if unjudged else ""
    return f"{name} is as usual: {_plural(sum(held), 'constraint')} on {_plural(len(held), 'column')} hold{but}."


def _plural(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count != 1)


def _finding(finding: Finding, run: str) -> str:
    alone = finding.about == "constraint" and finding.column
    parts = [f"{finding.column}: {finding.sentence}" if alone else finding.sentence]
    if finding.again:
        return f"{parts[0]}; {finding.again}"
    if finding.since and finding.since != run:
        parts.append(f"; it has been moving since run {finding.since}")
    if finding.resembles is not None:
        parts.append(f"; looks like: {finding.resembles.sentence}")
    return "".join(parts)
