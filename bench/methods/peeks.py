"""Peeks: it knows which runs are good."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile.arrays import Floats


def knowing(good: Iterable[Floats]) -> Method:
    """The method that knows these runs (one row each) to be good, and any other to be bad.

    >>> knowing([np.array([[1.0, 2.0]])]).score(None, np.array([[1.0, 2.0], [1.0, 3.0]]))
    array([0., 1.])
    """
    known = {np.ascontiguousarray(run).tobytes() for runs in good for run in runs}

    def score(past: Past, now: Floats) -> Floats:  # noqa: ARG001 - it needs no past
        return np.array([float(np.ascontiguousarray(run).tobytes() not in known) for run in now])

    return Method("peeks", "peeks at the future", "broken on purpose", score)


METHOD = knowing(())
