"""Any metric at all: Chebyshev's inequality.

Paper: Prop. 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from byhistory.bounds.base import Bound
from byhistory.profile.arrays import Floats


def chebyshev_fpr(width: ArrayLike) -> Floats:
    """At most one in width² good runs falls outside mean ± width; says nothing (1) within one standard deviation.

    Paper: Prop. 1. Its example: 0.9 ± 0.05 with a standard deviation of 0.01.

    >>> chebyshev_fpr([0.5, 5.0, 10.0]).tolist()
    [1.0, 0.04, 0.01]
    """
    return np.asarray(1.0 / np.square(np.maximum(np.asarray(width, dtype=float), 1.0)))


def chebyshev_width(fpr: ArrayLike) -> Floats:
    """The narrowest width with this price.

    >>> float(chebyshev_width(0.001).round(1))
    31.6
    """
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / np.sqrt(np.asarray(fpr, dtype=float)))


BOUND = Bound(
    name="chebyshev",
    fpr=chebyshev_fpr,
    width=chebyshev_width,
    sides="both",
    sentence="holds for any metric whose mean and spread are known, whatever its distribution",
)
