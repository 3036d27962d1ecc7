"""Which clauses of a program do some runs of its column break? All runs are judged at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from byhistory.constraints import Constraint
from byhistory.constraints.judge import BROKEN, Codes, Intervals, judge_runs
from byhistory.learners.base import Learner, ReadColumn
from byhistory.learners.program import Program
from byhistory.profile.arrays import Bools, Floats
from byhistory.series.transform import value_before

Read = Callable[[Sequence[str]], Floats]
"""From names of metrics to their values: one row per run, one column per name, nan for what was not measured."""


def as_tables(programs: Mapping[str, Program], learners: Sequence[Learner], read: ReadColumn) -> dict[str, Program]:
    """The programs of a table as their learners adjust them to one run; in the same order."""
    found = dict(programs)
    for learner in learners:
        found |= learner.as_table({name: p for name, p in programs.items() if p.learner == learner.name}, read)
    return found


def judge_program(program: Program, learner: Learner, read: Read, past: Mapping[str, ArrayLike]) -> Codes:
    """How every clause (one row each) of a program judges every run (one column each) that `read` gives values of.

    `past` has the values of metrics before those runs, oldest first, for clauses that compare with an earlier run.
    """
    clauses = program.clauses
    if not clauses:
        return np.zeros((0, len(read(()))), np.int8)
    now = read([c.metric for c in clauses]).T
    total = learner.total(program, read(learner.wants(program)))
    if total is not None:
        now = np.where(np.array([c.metric in learner.clause_names for c in clauses])[:, None], total, now)
    return judge_runs(Intervals.of(clauses), now, values_before(clauses, past))


def broken(program: Program, learner: Learner, read: Read, past: Mapping[str, ArrayLike]) -> Bools:
    """Which clauses (rows) each run (columns) breaks."""
    return np.asarray(judge_program(program, learner, read, past) == BROKEN)


def values_before(clauses: Sequence[Constraint], past: Mapping[str, ArrayLike]) -> Floats:
    """The value of each clause's metric in the run that it is compared with; nan where there is none."""
    return np.array([value_before(c.transform, past.get(c.metric, ())) for c in clauses], np.float64)
