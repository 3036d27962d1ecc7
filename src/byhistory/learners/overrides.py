"""What the user decided about a program, kept whatever is learned."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from byhistory.constraints import Constraint
from byhistory.constraints.constraint import USER
from byhistory.learners.program import Program


@dataclass(frozen=True, slots=True)
class Override:
    """A decision about one metric of one column (or of all columns, with `column="*"`).

    `mute` drops its clauses. `low` and `high` set a threshold of the user's own in units of the metric, in place of
    what was learned. `pin` keeps a clause as it is now: give the clause.
    """

    column: str
    metric: str
    mute: bool = False
    low: float = -math.inf
    high: float = math.inf
    pin: Constraint | None = None

    @property
    def sets_threshold(self) -> bool:
        """Whether the user gave an end of the interval."""
        return math.isfinite(self.low) or math.isfinite(self.high)


def overridden(program: Program, overrides: Iterable[Override]) -> Program:
    """The program with the user's decisions in it; later decisions win.

    >>> from byhistory.profile import Kind
    >>> learned = Program("n", Kind.NUMERIC, (Constraint("mean", 1, 2), Constraint("min", 0, 9)), runs=9)
    >>> [c.metric for c in overridden(learned, [Override("n", "min", mute=True)]).clauses]
    ['mean']
    """
    clauses, model = list(program.clauses), program.model
    for o in overrides:
        if o.column not in ("*", program.column):
            continue
        others = [c for c in clauses if c.metric != o.metric]
        if o.mute:
            clauses = others
        elif o.pin is not None:
            clauses = [*others, replace(o.pin, is_pinned=True)]
        elif o.sets_threshold:
            clauses = [*others, Constraint(o.metric, o.low, o.high, bound=USER)]
        if model is not None and (o.mute or o.sets_threshold):
            model = model.without(o.metric)  # it does not count in the joint clause either
    return replace(program, clauses=tuple(clauses), model=model)
