"""Since when has a metric been moving?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from byhistory.constraints import Outcome
from byhistory.profile.arrays import Floats
from byhistory.series.transform import apply

_MOVING = 1.0
"""How many standard deviations from the mean, on the same side as now, make a past run count as moving (a choice)."""


def moving_since(outcome: Outcome, values: Floats, runs: Sequence[str], run: str) -> str:
    """The first run of the unbroken sequence, up to this one, that were off on the same side.

    `values` are the past values of the metric, `runs` their labels, both oldest first.
    """
    clause = outcome.constraint
    if clause.evidence is None or not clause.evidence.std > 0 or not math.isfinite(outcome.value):
        return run
    moved = apply(clause.transform, np.append(values, outcome.value))
    z = (moved - clause.evidence.mean) / clause.evidence.std
    if not len(z) or not math.isfinite(z[-1]):
        return run
    off = z * np.sign(z[-1]) > _MOVING
    still = np.flatnonzero(~off)
    first = int(still[-1]) + 1 if len(still) else 0
    labels = [*runs, run][len(runs) + 1 - len(z) :]
    return labels[min(first, len(labels) - 1)]
