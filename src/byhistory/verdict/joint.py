"""Judge all metrics of a column together, and name those that say most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.joint import JOINT, MEASURED, Joint
from byhistory.prices.table import FROM, together
from byhistory.profile import UNDEFINED
from byhistory.profile.arrays import Floats
from byhistory.program import Program

_USUAL = 2.0
"""What is less surprising than once in a hundred is shown as usual."""
_TOLD = 3


def judged_together(
    program: Program, joint: Joint, values: Mapping[str, float], outcomes: Sequence[Outcome], titles: Mapping[str, str]
) -> list[Outcome]:
    """The outcomes of the single clauses with how rare each is, and that of the clause on all metrics, first if broken.

    If that is broken, it is told by its largest surprise that no clause of its own tells already.
    """
    read = np.array([values.get(name, UNDEFINED) for name in joint.metrics])
    surprises = joint.surprises(read)
    priced = [_priced(o, joint, surprises) for o in outcomes]
    clause = next(c for c in program.clauses if c.metric == JOINT)
    total = float(together(surprises))
    if not total > clause.high:
        return [*priced, _held(clause, joint, total, read, titles)]
    told = {o.constraint.metric for o in priced if o.status == "broken"}
    order = [i for i in np.argsort(-surprises, kind="stable") if surprises[i] > FROM]
    top = next((i for i in order if joint.metrics[i] not in told), order[0])
    largest = _largest(clause, joint, int(top), read, surprises)
    return [replace(largest, reason=_beside(order, int(top), joint, titles)), *priced]


def _held(clause: Constraint, joint: Joint, total: float, read: Floats, titles: Mapping[str, str]) -> Outcome:
    """Not broken; but what always had a value and now has none is no silent pass."""
    gone = [titles.get(joint.metrics[i], joint.metrics[i]) for i in np.flatnonzero(joint.known & np.isnan(read))]
    why = f"undefined on this run: {', '.join(gone[:_TOLD])}{_more(len(gone))}" if gone else ""
    return Outcome(clause, "not evaluable" if gone else "holds", total, -math.inf, clause.high, reason=why)


def _largest(clause: Constraint, joint: Joint, top: int, read: Floats, surprises: Floats) -> Outcome:
    low, high = joint.interval(top, _USUAL)
    shown = replace(clause, metric=joint.metrics[top], low=low, high=high, bound=JOINT)
    sigmas = abs(float(joint.forecasts.away(read)[top]))
    rarity = float(joint.rarity(surprises))
    return Outcome(shown, "broken", float(read[top]), low, high, rarity, sigmas)


def _beside(order: Sequence[int], top: int, joint: Joint, titles: Mapping[str, str]) -> str:
    others = [titles.get(joint.metrics[i], joint.metrics[i]) for i in order if i != top]
    if not others:
        return ""
    return f"{', '.join(others[:_TOLD])}{_more(len(others))}"


def _more(count: int) -> str:
    return f" and {count - _TOLD} more" if count > _TOLD else ""


def _priced(outcome: Outcome, joint: Joint, surprises: Floats) -> Outcome:
    clause = outcome.constraint
    if clause.bound != MEASURED or clause.metric not in joint.metrics or outcome.status == "not evaluable":
        return outcome
    return replace(outcome, rarity=float(10.0 ** -surprises[joint.metrics.index(clause.metric)]))
