"""Which metrics are behind the joint clause? Those that add most to its total."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.constraint import JOINT, MEASURED
from byhistory.learners.calibrated.joint import ROWS, Joint
from byhistory.learners.calibrated.prices import Join
from byhistory.learners.program import USUAL
from byhistory.metrics import NAMED_FIRST, PLAIN, RATIOS
from byhistory.plain import some_of
from byhistory.profile import UNDEFINED
from byhistory.profile.arrays import Floats

_NAMED = 3
"""The most metrics that one line names (a choice)."""
_AS_MUCH = 0.33
"""A metric with this part of the largest contribution may be named instead of it. (Chosen by reading: with cents for
euros the extremes move furthest, and people would name the sum or the mean.)"""
_COUNTED = ("dist_val_count", "unique_ratio", "new_format_ratio")
"""What moves where values are new or lost: their share tells why, however much it adds."""
_OF_VALUES = ("new_value_ratio", "lost_value_ratio")
_TOLD_BY_OTHERS = "std"
"""What leaps where numbers are of another size: others tell it better, so that a leap does not put it first."""
_NOTHING = 1e-8
"""A share that differs from 0 or 1 by less is 0 or 1, as in `byhistory.constraints.words`."""
PRESENT = "complete_ratio"
_WORTH_TELLING = 0.01
"""A metric is named if it adds more than this part of the total (a choice: one per cent explains nothing)."""


def explain_outcomes(
    joint: Joint,
    values: Mapping[str, float],
    outcomes: Sequence[Outcome],
    titles: Mapping[str, str],
    *,
    join: Join,
) -> list[Outcome]:
    """The outcomes of the single clauses with how rare each is, and the outcome of the joint clause, first if broken.

    A broken joint clause is reported as one metric: the largest contribution that no broken clause reports already and
    that a person would name. Nobody says "average number of digits" when values fell by half.
    """
    read = np.array([values.get(name, UNDEFINED) for name in joint.metrics])
    surprises = joint.surprises(read)
    whole = next(o for o in outcomes if o.constraint.metric == JOINT)
    priced = [_priced(o, joint, surprises) for o in outcomes if o is not whole]
    added = joint.contributions(read)
    total = float(join(added))
    if whole.status != "broken":
        shown = replace(whole, value=total)
        return [*priced, _with_reason(shown, joint, read, titles) if whole.status == "not evaluable" else shown]
    reported = {o.constraint.metric for o in priced if o.status == "broken"}
    added = added - np.where(np.array(joint.metrics) == _TOLD_BY_OTHERS, joint.added_by_leaps(read), 0.0)
    by_size = np.argsort(-added, kind="stable")
    order = [i for i in by_size if added[i] > _WORTH_TELLING * total] or [by_size[0]]
    top = _lead(order, added, surprises, joint, reported)
    largest = _largest(whole.constraint, joint, top, read, float(joint.rarity(np.array(total))))
    return [replace(largest, reason=_beside(order, top, surprises, joint, titles), level=whole.level), *priced]


def _lead(order: Sequence[int], added: Floats, surprises: Floats, joint: Joint, reported: Collection[str]) -> int:
    """The metric to report: among plain ones outside their usual interval the one that adds most, or else among all.

    If several add about as much, it is the one that a person would name first: the mean rather than the smallest value.
    Where only distances moved, it is the first of those: the share of one value rather than a divergence.
    The number of rows belongs to the table; a column reports it only if nothing adds more.
    """
    own = [i for i in order if joint.metrics[i] != ROWS or i == order[0]]
    unreported = [i for i in own if joint.metrics[i] not in reported] or list(own)
    moved = [i for i in unreported if surprises[i] > USUAL] or unreported
    plain = [i for i in moved if joint.metrics[i] in PLAIN]
    least = _AS_MUCH * added[plain[0]] if plain else 0.0
    is_count = bool(plain) and joint.metrics[plain[0]] in _COUNTED
    as_much = [i for i in plain or moved if added[i] >= least or (is_count and joint.metrics[i] in _OF_VALUES)]
    return int(min(as_much, key=lambda i: _when_named(joint.metrics[i])))


def _with_reason(outcome: Outcome, joint: Joint, read: Floats, titles: Mapping[str, str]) -> Outcome:
    """The outcome with a reason why it could not be judged: what was always defined and now is not never just
    passes.
    """
    if PRESENT in joint.metrics and read[joint.metrics.index(PRESENT)] == 0.0:
        return replace(outcome, reason="no values in this run")
    gone = [titles.get(joint.metrics[i], joint.metrics[i]) for i in np.flatnonzero(joint.known & np.isnan(read))]
    return replace(outcome, reason=f"undefined on this run: {some_of(gone, _NAMED)}; all else is as usual")


def _largest(clause: Constraint, joint: Joint, top: int, read: Floats, rarity: float) -> Outcome:
    low, high = (_share(end, joint.metrics[top]) for end in joint.interval(top, USUAL))
    shown = replace(
        clause,
        metric=joint.metrics[top],
        low=low,
        high=high,
        bound=JOINT,
        warn_low=-math.inf,
        warn_high=math.inf,
    )
    sigmas = abs(float(joint.forecasts.distances(read)[top]))
    return Outcome(shown, "broken", float(read[top]), low, high, rarity, sigmas)


def _share(end: float, metric: str) -> float:
    """An end of the usual interval; that of a share is kept between 0 and 1, and freed from rounding there."""
    if metric not in RATIOS:
        return end
    nearest = round(min(1.0, max(0.0, end)))
    return float(nearest) if abs(end - nearest) < _NOTHING else min(1.0, max(0.0, end))


def _beside(order: Sequence[int], top: int, surprises: Floats, joint: Joint, titles: Mapping[str, str]) -> str:
    """What moved beside the lead: metrics that a person would name, or else those that add most."""
    others = [i for i in order if i != top and joint.metrics[i] != ROWS]
    plain = [joint.metrics[i] for i in others if joint.metrics[i] in PLAIN and surprises[i] > USUAL]
    named = (sorted(plain, key=_when_named) or [joint.metrics[i] for i in others])[:_NAMED]
    return f"{', '.join(titles.get(name, name) for name in named)}{' and more' if len(others) > len(named) else ''}"


def _when_named(metric: str) -> int:
    return NAMED_FIRST.get(metric, len(NAMED_FIRST))


def _priced(outcome: Outcome, joint: Joint, surprises: Floats) -> Outcome:
    clause = outcome.constraint
    if clause.bound != MEASURED or clause.metric not in joint.metrics or outcome.status == "not evaluable":
        return outcome
    return replace(outcome, rarity=float(10.0 ** -surprises[joint.metrics.index(clause.metric)]))
