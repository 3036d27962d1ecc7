"""FD-UB: could a functional dependency have noticed anything about this column?"""

from __future__ import annotations

import numpy as np
from bench.cases.cases import Past
from bench.methods.base import Method

from byhistory.profile.arrays import Floats


def score(past: Past, now: Floats) -> Floats:
    """1 for any run unlike all past ones of a column that others determine, else 0.

    The paper counts a column on the right-hand side of a dependency as covered whatever happens to it, and as never
    falsely alarmed: an upper bound. So good runs are not asked of it.
    """
    if not past.is_determined:
        return np.zeros(len(now))
    alone = ~past.is_pair  # the run before the first is not known
    same = np.isclose(now[:, None, alone], past.series.T[None][:, :, alone], rtol=1e-9, atol=0.0, equal_nan=True)
    return np.where(np.any(np.all(same, axis=2), axis=1), 0.0, 1.0)


METHOD = Method(
    "fd_upper_bound",
    "FD upper bound",
    "constraint",
    score,
    is_upper_bound=True,
    note="As in the paper an upper bound of recall: covered is caught, and false positives are not counted.",
)
