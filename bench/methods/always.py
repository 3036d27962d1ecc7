"""Always alarms: every run is as bad as can be."""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile.arrays import Floats


def score(past: Past, now: Floats) -> Floats:  # noqa: ARG001 - it does not look
    return np.ones(len(now))


METHOD = Method("always", "always alarms", "broken on purpose", score)
