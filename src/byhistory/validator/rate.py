"""How often, and how sure is that?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.stats import binomtest


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
        low, high = binomtest(self.stopped, self.judged).proportion_ci(0.95, method="exact")
        return float(low), float(high)
