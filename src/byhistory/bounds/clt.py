"""Counts and averages over many rows, which are nearly normal: the central limit theorem.

Paper: Prop. 3.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from byhistory.bounds.base import Bound
from byhistory.profile.arrays import Floats


def clt_fpr(width: ArrayLike) -> Floats:
    """The share of a normal distribution outside mean ± width.

    Paper: Prop. 3. As erfc rather than 1 − erf, which would round to 0 beyond 8 standard deviations.

    >>> [f"{p:.3g}" for p in clt_fpr([0.0, 1.96, 10.0])]
    ['1', '0.05', '1.52e-23']
    """
    from scipy.special import erfc  # here, because loading it takes a tenth of a second

    return np.asarray(erfc(np.asarray(width, dtype=float) / math.sqrt(2.0)))


def clt_width(fpr: ArrayLike) -> Floats:
    """The narrowest width with this price.

    >>> float(clt_width(0.001).round(2))
    3.29
    """
    from scipy.special import erfcinv  # as above

    return np.asarray(math.sqrt(2.0) * erfcinv(np.asarray(fpr, dtype=float)))


BOUND = Bound(
    name="clt",
    fpr=clt_fpr,
    width=clt_width,
    sides="both",
    sentence="holds for metrics that add up or average many independent rows, and so are nearly normal",
)
