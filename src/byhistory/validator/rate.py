"""How often, and how sure is that?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.stats import beta


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
        """Of 95 %, by Clopper and Pearson."""
        k, n = self.stopped, self.judged
        if not n:
            return math.nan, math.nan
        low = float(beta.ppf(0.025, k, n - k + 1)) if k else 0.0
        return low, float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
