"""Distances, which worry us only when they grow: Cantelli's inequality.

Paper: Prop. 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from byhistory.bounds.base import Bound
from byhistory.profile.arrays import Floats


def cantelli_fpr(width: ArrayLike) -> Floats:
    """At most one in 1 + width² good runs falls above mean + width.

    Paper: Prop. 2.

    >>> cantelli_fpr([0.0, 2.0, 3.0]).tolist()
    [1.0, 0.2, 0.1]
    """
    return np.asarray(1.0 / (1.0 + np.square(np.asarray(width, dtype=float))))


def cantelli_width(fpr: ArrayLike) -> Floats:
    """The narrowest width with this price.

    >>> float(cantelli_width(0.001).round(1))
    31.6
    """
    p = np.asarray(fpr, dtype=float)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt((1.0 - p) / p))


BOUND = Bound(
    name="cantelli",
    fpr=cantelli_fpr,
    width=cantelli_width,
    sides="upper",
    sentence="holds for any metric whose mean and spread are known, and looks only at values above the mean",
)
