"""What every bound promises, and the widths worth trying under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from byhistory.errors import ByHistoryError
from byhistory.profile.arrays import Floats

_NARROWEST, _STEP, _DENSE_TO = 1.0, 0.25, 10.0  # In standard deviations. Paper: Algorithm 3 starts at one.
_GROWTH = 1.15  # Each width beyond the dense ones, over the one before.
_SHARES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)  # Prices worth hitting exactly, as shares of the budget.
_UNDER = 1.0 + 1e-12  # A little wider, so that five clauses at a fifth of the budget fit in spite of rounding.


@dataclass(frozen=True, slots=True)
class Bound:
    """An upper limit on how often a good run falls outside an interval of a given width.

    The width is the distance from the mean to the end of the interval, in standard deviations, 0 or more. `fpr` gives
    the probability for a width; `width`, its inverse, gives the narrowest width for a probability. Both take numbers
    or arrays. `sides` is "both" if values on either side of the mean count as outside, "upper" if only those above it
    do; `sentence` tells a person what is assumed.
    """

    name: str
    fpr: Callable[[ArrayLike], Floats]
    width: Callable[[ArrayLike], Floats]
    sides: Literal["both", "upper"]
    sentence: str


def grid(bound: Bound, budget: float) -> Floats:
    """Widths to try, rising: from one standard deviation to where a fiftieth of the budget is enough, and at least to
    ten.

    Even steps up to ten, then each width 15 % over the last (Chebyshev needs 31.6 to reach 0.1 %); and the widths
    whose price is the budget, a half, a fifth, a tenth … of it, so that the budget can be spent.

    Paper: Algorithm 3.

    >>> from byhistory.bounds import CHEBYSHEV
    >>> widths = grid(CHEBYSHEV, 0.001)
    >>> bool((abs(widths - 31.6228) < 1e-4).any()), float(widths[0]), float(widths[-1].round(1))
    (True, 1.0, 223.6)
    """
    if not 0.0 < budget < 1.0:
        todo = "give a budget between 0 and 1, such as 0.001"
        raise ByHistoryError("widths that fit a budget", f"a budget of {budget}", todo)
    exact = np.maximum(bound.width(budget * np.array(_SHARES)) * _UNDER, _NARROWEST)
    widest = max(_DENSE_TO, float(exact[-1]))
    dense = np.arange(_NARROWEST, _DENSE_TO + _STEP / 2, _STEP)
    sparse = _DENSE_TO * _GROWTH ** np.arange(1, 1 + np.ceil(np.log(widest / _DENSE_TO) / np.log(_GROWTH)))
    return np.unique(np.concatenate([dense, sparse[sparse < widest], exact]))
