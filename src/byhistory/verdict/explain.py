"""A verdict in words."""

from __future__ import annotations

from collections import defaultdict

from byhistory.constraints import Outcome
from byhistory.constraints.constraint import CONSTANT
from byhistory.constraints.joint import JOINT
from byhistory.metrics import Metric
from byhistory.plain import said
from byhistory.profile import Kind
from byhistory.program.explain import must, which_run
from byhistory.program.words import amount, once_in
from byhistory.verdict.verdict import Finding, Verdict

_TOLD = 4


def explain(verdict: Verdict) -> str:
    """The verdict for a person: the answer first, then a line a finding, then what could not be judged."""
    lines = [_headline(verdict)]
    lines += [f"  - {_finding(f, verdict.run)}" for f in verdict.causes]
    return "\n".join(said(line) for line in (*lines, *_not_judged(verdict)))


def _not_judged(verdict: Verdict) -> list[str]:
    """A line a reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for column in verdict.columns.values():
        for o in column.not_evaluable:
            reasons[o.reason].append(f"{column.column}.{o.constraint.metric}")
    return [
        f"  · {', '.join(names[:_TOLD])}{f' and {len(names) - _TOLD} more' if len(names) > _TOLD else ''} "
        f"could not be judged: {reason}"
        for reason, names in reasons.items()
    ]


def _headline(verdict: Verdict) -> str:
    name = f"Run {verdict.run}" if verdict.run else "This run"
    if not verdict.ok:
        stopping = [f for f in verdict.findings if f.stops]
        columns = {f.column for f in stopping if f.column}
        where = f" in {_plural(len(columns), 'column')}" if columns else ""
        return f"{name} is not as usual: {_plural(len(stopping), 'finding')}{where}."
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
    if finding.since and finding.since != run:
        parts.append(f"; it has been moving since run {finding.since}")
    if finding.resembles is not None:
        parts.append(f"; looks like: {finding.resembles.sentence}")
    return "".join(parts)


def outcome_in_words(outcome: Outcome, metric: Metric, kind: Kind) -> str:
    """A broken clause as a sentence: what is, what was usual, how unlikely."""
    clause = outcome.constraint
    value = amount(outcome.value, metric, kind)
    if clause.evidence is not None and clause.bound == CONSTANT and not clause.transform.lag:
        always = amount(clause.evidence.usual_low, metric, kind)
        return f"{metric.title} is {value}; it was {always} in all {clause.evidence.runs} past runs"
    low, high = amount(outcome.low, metric, kind), amount(outcome.high, metric, kind)
    if outcome.value > outcome.high:
        usual = f"at most {high} is usual"
    elif outcome.value < outcome.low:
        usual = f"at least {low} is usual"
    else:
        usual = f"{must(clause, metric, kind)} is usual"
    since = f", given {which_run(clause.transform)}" if clause.transform.lag else ""
    if clause.bound == JOINT:
        beside = f", and with it {outcome.reason}" if outcome.reason else ""
        rarity = f"; a good run is this unlike its past {_rate(outcome.rarity)}"
        return f"{metric.title} is {value}, where {usual}{beside}{rarity}"
    rarity = f"; a good run is this far off {_rate(outcome.rarity)}" if outcome.rarity == outcome.rarity else ""
    return f"{metric.title} is {value}, where {usual}{since}{rarity}"


def _rate(rarity: float) -> str:
    said = once_in(rarity)
    return said if said.startswith("less") else f"less than {said}"
