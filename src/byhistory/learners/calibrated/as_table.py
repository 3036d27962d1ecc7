"""How far may each column of a run be off, given how far the others are?

The learned limits hold for a column while all others are as usual. When other columns move as well, the limit of each
column rises by what they share. When all of them together move too far, the columns that moved most are reported.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from byhistory.constraints import Constraint
from byhistory.constraints.constraint import JOINT
from byhistory.learners.base import ReadColumn
from byhistory.learners.calibrated.joint import Joint, having_seen
from byhistory.learners.program import Program
from byhistory.profile.arrays import Floats

if TYPE_CHECKING:
    from byhistory.learners.calibrated.learner import Calibrated


def limited_as_table(learner: Calibrated, programs: Mapping[str, Program], read: ReadColumn) -> Mapping[str, Program]:
    """The programs with joint clauses as they hold for this run; programs without one stay as they are."""
    tables = learner.price_list.tables
    judged = {name: p for name, p in programs.items() if joint_clause(p) is not None}
    reads = [read(name, joint_of(p).metrics) for name, p in judged.items()]
    joints = having_seen([(joint_of(p), values) for p, values in zip(judged.values(), reads, strict=True)])
    columns = list(zip(judged.items(), joints, reads, strict=True))
    ours = [column for column in columns if column[0][1].table_budget] if tables is not None else []
    found = {name: replace(p, model=joint) for (name, p), joint, _ in columns if not (ours and p.table_budget)}
    if tables is not None and ours:
        surprises = _surprises(learner, [(joint, values) for _, joint, values in ours])
        first = ours[0][0][1]
        stop = tables.limits(surprises, first.table_budget)
        has_warnings = first.table_warn_budget > first.table_budget
        warn = tables.limits(surprises, first.table_warn_budget) if has_warnings else np.full(len(ours), math.inf)
        for ((name, p), joint, _), *ends in zip(ours, stop.tolist(), warn.tolist(), strict=True):
            found[name] = _limited(p, joint, *ends)
    return {name: found.get(name, p) for name, p in programs.items()}


def _surprises(learner: Calibrated, columns: Sequence[tuple[Joint, Floats]]) -> Floats:
    """The surprise of each column's values, as `Calibrated.surprise` says it; columns of one kind have equal limits."""
    totals = np.array([learner.joined(joint.contributions(values[None]))[0] for joint, values in columns])
    surprises, alike = np.empty(len(columns)), dict[int, list[int]]()
    for i, (joint, _) in enumerate(columns):
        alike.setdefault(id(joint.limits), []).append(i)
    for places in alike.values():
        surprises[places] = -np.log10(columns[places[0]][0].rarity(totals[places]))
    return surprises


def _limited(program: Program, joint: Joint, stop: float, warn: float) -> Program:
    """The program with its joint clause broken above these surprises, and with what was seen of this run."""
    limits = joint.limits
    high, warn_high = (limits.of_joint(10.0**-end) if math.isfinite(end) else math.inf for end in (stop, warn))
    clauses = (
        replace(c, high=high, warn_high=warn_high) if c.metric == JOINT and not c.is_pinned else c
        for c in program.clauses
    )
    return replace(program, clauses=tuple(clauses), model=joint)


def joint_clause(program: Program) -> Constraint | None:
    """The joint clause; None if there is none, or if there are no forecasts to judge it by."""
    if program.model is not None:
        for clause in program.clauses:
            if clause.metric == JOINT:
                return clause
    return None


def joint_of(program: Program) -> Joint:
    """The program's model, which is a `Joint` in every program of this learner."""
    assert isinstance(program.model, Joint)  # noqa: S101 - for the type checker: it is this learner's
    return program.model
