"""One run of a table: how much may each column be off, given what the others do?

Learned limits are those of a column whose neighbours are all as usual. Where the others move too, what they share is
not this column's own doing, and its limit rises by as much; where all together move too far, those that moved most are
told, each within the budget of the table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    """The programs with the limits on all metrics together that hold for this run; others stay as they are."""
    tables = learner.price_list.tables
    programs = _having_seen(programs, read)
    ours = {name: p for name, p in programs.items() if p.table_budget and joint_clause(p) is not None}
    if tables is None or not ours:
        return programs
    surprises = np.array([_surprise(learner, p, read(name, joint_of(p).metrics)) for name, p in ours.items()])
    first = next(iter(ours.values()))
    stop = tables.limits(surprises, first.table_budget)
    has_warnings = first.table_warn_budget > first.table_budget
    warn = tables.limits(surprises, first.table_warn_budget) if has_warnings else np.full(len(ours), math.inf)
    limited = {name: _limited(p, *ends) for (name, p), *ends in zip(ours.items(), stop, warn, strict=True)}
    return {**programs, **limited}


def _having_seen(programs: Mapping[str, Program], read: ReadColumn) -> Mapping[str, Program]:
    """The programs with what their metrics say of this run, worked out for all of them at once."""
    judged = [name for name, program in programs.items() if joint_clause(program) is not None]
    joints = [joint_of(programs[name]) for name in judged]
    seen = having_seen([(joint, read(name, joint.metrics)) for name, joint in zip(judged, joints, strict=True)])
    return {**programs, **{name: replace(programs[name], model=one) for name, one in zip(judged, seen, strict=True)}}


def _surprise(learner: Calibrated, program: Program, reads: Floats) -> float:
    return float(learner.surprise(program, reads[None])[0])


def _limited(program: Program, stop: float, warn: float) -> Program:
    """With the clause on all metrics broken from these surprises on."""
    limits = joint_of(program).limits
    high, warn_high = (limits.at(10.0**-end)[1] if math.isfinite(end) else math.inf for end in (stop, warn))
    return replace(
        program,
        clauses=tuple(
            replace(c, high=high, warn_high=warn_high) if c.metric == JOINT and not c.is_pinned else c
            for c in program.clauses
        ),
    )


def joint_clause(program: Program) -> Constraint | None:
    """The clause on all metrics; None without one, or without forecasts to judge it by."""
    return next((c for c in program.clauses if c.metric == JOINT), None) if program.model is not None else None


def joint_of(program: Program) -> Joint:
    """What the program expects of its metrics."""
    assert isinstance(program.model, Joint)  # noqa: S101 - for the type checker: it is this learner's
    return program.model
