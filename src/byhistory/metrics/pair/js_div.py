"""Jensen–Shannon divergence of the distributions."""

from __future__ import annotations

import numpy as np

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Shares, on_distribution
from byhistory.metrics.base import Pair
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats

_LEAST = 1e-300  # so that 0 log 0 is 0


def js_div(s: Shares) -> Floats:
    """Divergence of both from their average, in bits, 0 to 1; 1 without a common value.

    Numbers are put into bins that the run before decides, with the nulls in one of their own (see `binned`), so it is
    not symmetric for them; it is undefined where a run has no rows. Everything else is compared value by value,
    undefined where one run has no values.

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in (["a", "b"], ["a", "a"]))
    >>> METRIC(now, before)
    0.31127812445913283
    """
    middle = np.maximum((s.now + s.before) / 2, _LEAST)
    bits = s.now * np.log2(np.maximum(s.now / middle, _LEAST)) + s.before * np.log2(
        np.maximum(s.before / middle, _LEAST)
    )
    return np.asarray(np.clip((s.weights * bits).sum(-1) / 2, 0.0, 1.0))


METRIC = Pair(
    name="js_div",
    title="change of the distribution (JS)",
    kinds=frozenset({Kind.NUMERIC, Kind.CATEGORICAL}),
    bound=CANTELLI,
    low=0.0,
    high=1.0,
    compute=on_distribution(js_div),
    scale="distance",
    in_paper=True,
    symmetric=False,
)
