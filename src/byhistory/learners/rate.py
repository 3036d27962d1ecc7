"""How often, and how sure is that?"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """Judged columns that would have been stopped, of how many."""

    stopped: int
    judged: int

    @property
    def share(self) -> float:
        """The measured rate; nan of none."""
        return self.stopped / self.judged if self.judged else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Of 95 %, by Clopper and Pearson; undefined of none."""
        if not self.judged:
            return math.nan, math.nan
        # The quantiles of beta distributions, without scipy.stats: loading that takes a third of a second.
        from scipy.special import betaincinv  # and scipy.special only now: that is another tenth

        passed = self.judged - self.stopped
        low = betaincinv(self.stopped, passed + 1, 0.025) if self.stopped else 0.0
        high = betaincinv(self.stopped + 1, passed, 0.975) if passed else 1.0
        return float(low), float(high)
