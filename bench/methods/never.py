"""Never alarms: it cannot say anything about any run."""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile.arrays import Floats


def score(past: Past, now: Floats) -> Floats:  # noqa: ARG001 - it does not look
    return np.full(len(now), np.nan)


METHOD = Method("never", "never alarms", "broken on purpose", score)
