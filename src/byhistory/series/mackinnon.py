"""MacKinnon's response surfaces: how small a Dickey–Fuller statistic must be, and how unlikely it was.

The constants are published facts for one variable and a regression with a constant: critical values from MacKinnon
(2010), p-values from MacKinnon (1994). Tests hold them equal to those of statsmodels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from byhistory.profile.arrays import Floats

# 5 % critical value: a polynomial in 1 / (number of regression rows), constant term first.
_CRITICAL = (-2.86154, -2.8903, -4.234, -40.04)

# p-value: the normal distribution of a polynomial in the statistic, one polynomial each side of the join.
_LOWEST, _JOIN, _HIGHEST = -18.83, -1.61, 2.74
_LEFT = (2.1659, 1.4412, 0.038269)
_RIGHT = (1.7339, 0.93202, -0.12745, -0.010368)


def critical_value(rows: ArrayLike) -> Floats:
    """The 5 % critical value for a regression over this many rows: below it a unit root is rejected.

    >>> float(critical_value(20).round(4))
    -3.0216
    """
    return np.asarray(np.polynomial.polynomial.polyval(1.0 / np.asarray(rows, dtype=float), _CRITICAL))


def p_value(statistic: ArrayLike) -> Floats:
    """Asymptotic p-value of the statistic under a unit root; nan stays nan.

    It knows nothing of the number of rows, so close to 5 % it may disagree with `critical_value`: decisions use the
    latter.

    >>> p_value([-3.5, 0.0]).round(4).tolist()
    [0.008, 0.9585]
    """
    from scipy.special import ndtr  # loading it takes a tenth of a second: most commands do without

    s = np.asarray(statistic, dtype=float)
    inside = np.clip(s, _LOWEST, _HIGHEST)
    polyval = np.polynomial.polynomial.polyval
    p = ndtr(np.where(inside <= _JOIN, polyval(inside, _LEFT), polyval(inside, _RIGHT)))
    return np.where(s > _HIGHEST, 1.0, np.where(s < _LOWEST, 0.0, p))
