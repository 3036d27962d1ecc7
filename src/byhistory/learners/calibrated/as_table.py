"""How far may each column of a run be off, given how far the others are?

The learned limits hold for a column while all others are as usual. When other columns move as well, the limit of each
column rises by what they share. When all of them together move too far, the columns that moved most are reported.
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
    """The programs with joint clauses as they hold for this run; programs without one stay as they are."""
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
    """The programs with the surprises of this run in them, computed for all columns at once."""
    judged = [name for name, program in programs.items() if joint_clause(program) is not None]
    joints = [joint_of(programs[name]) for name in judged]
    seen = having_seen([(joint, read(name, joint.metrics)) for name, joint in zip(judged, joints, strict=True)])
    return {**programs, **{name: replace(programs[name], model=one) for name, one in zip(judged, seen, strict=True)}}


def _surprise(learner: Calibrated, program: Program, reads: Floats) -> float:
    return float(learner.surprise(program, reads[None])[0])


def _limited(program: Program, stop: float, warn: float) -> Program:
    """The program with its joint clause broken above these surprises."""
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
    """The joint clause; None if there is none, or if there are no forecasts to judge it by."""
    return next((c for c in program.clauses if c.metric == JOINT), None) if program.model is not None else None


def joint_of(program: Program) -> Joint:
    """The program's model, which is a `Joint` in every program of this learner."""
    assert isinstance(program.model, Joint)  # noqa: S101 - for the type checker: it is this learner's
    return program.model
