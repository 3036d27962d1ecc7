"""A slow drift in words."""

from __future__ import annotations

import math

from byhistory.constraints.words import amount
from byhistory.metrics import Metric
from byhistory.profile import Kind
from byhistory.profile.arrays import Floats


def drift_in_words(metric: Metric, kind: Kind, since: str, path: Floats, runs: int) -> str:
    """What a level was, what it is now, and how much it moved per run, on average over `runs`.

    >>> import numpy as np
    >>> from byhistory.metrics import by_name
    >>> drift_in_words(by_name("mean"), Kind.NUMERIC, "2026-01-01", np.array([50.0, 250.0]), 99)
    'average has drifted since 2026-01-01: 50 then, 250 now, +1.6 % a run'
    """
    then, now = float(path[0]), float(path[-1])
    if metric.unit == "share":
        pace = f"{100 * (now - then) / runs:+.2g} points a run"
    else:
        pace = f"{100 * math.expm1(math.log(now / then) / runs):+.2g} % a run"
    levels = f"{amount(then, metric, kind)} then, {amount(now, metric, kind)} now"
    return f"{metric.title} has drifted since {since}: {levels}, {pace}"
