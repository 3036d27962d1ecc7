"""Random: a number that has nothing to do with how a run is."""

from __future__ import annotations

import hashlib

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile.arrays import Floats


def score(past: Past, now: Floats) -> Floats:
    """0 to 1, the same for the same run after the same past."""
    salt = np.ascontiguousarray(past.series).tobytes()
    return np.array([_uniform(salt + np.ascontiguousarray(run).tobytes()) for run in now])


def _uniform(content: bytes) -> float:
    return int.from_bytes(hashlib.sha256(content).digest()[:6], "big") / 2.0**48


METHOD = Method("random_score", "random", "broken on purpose", score)
