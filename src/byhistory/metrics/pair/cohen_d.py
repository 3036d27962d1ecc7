"""Cohen's d of the numbers."""

from __future__ import annotations

import math

from byhistory.bounds import CANTELLI
from byhistory.metrics._match import Match
from byhistory.metrics.base import Pair
from byhistory.profile import UNDEFINED, Kind


def cohen_d(m: Match) -> float:
    """Distance of the averages in pooled standard deviations, 0 and up.

    The absolute value, so that a fall is as far as a rise. Without any spread it is 0 if the averages are equal and
    infinite if not. Undefined where one run has no numbers.

    >>> from byhistory.rows.local import profile_table
    >>> now, before = (profile_table({"x": x})["x"] for x in ([1, 2, 3], [2, 3, 4]))
    >>> METRIC(now, before)
    1.0
    """
    a, b = m.now.numbers, m.before.numbers
    if a is None or b is None or not a.count or not b.count:
        return UNDEFINED
    # Of a constant neither the average nor the spread may come from rounding.
    mean_a, spread_a = (a.low, 0.0) if a.low == a.high else (a.mean, a.spread)
    mean_b, spread_b = (b.low, 0.0) if b.low == b.high else (b.mean, b.spread)
    distance, spread = abs(mean_a / 2 - mean_b / 2), math.hypot(spread_a, spread_b)  # halves: no overflow
    if not spread:
        return math.inf if distance else 0.0
    return distance / spread * 2 * math.sqrt(a.count + b.count - 2)


METRIC = Pair(
    name="cohen_d",
    title="shift of the average, in deviations",
    kinds=frozenset({Kind.NUMERIC}),
    bound=CANTELLI,
    low=0.0,
    high=math.inf,
    compute=cohen_d,
    scale="distance",
    in_paper=True,
)
