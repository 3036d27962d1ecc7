"""How often, and how sure is that?"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the judged columns would have been stopped."""

    stopped: int
    judged: int

    @property
    def share(self) -> float:
        """The measured rate; nan if nothing was judged."""
        return self.stopped / self.judged if self.judged else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rate by Clopper and Pearson; nan if nothing was judged."""
        if not self.judged:
            return math.nan, math.nan
        # The quantiles of beta distributions are not taken from scipy.stats, which needs a third of a second to load.
        from scipy.special import betaincinv  # loaded only here, as it takes another tenth of a second

        passed = self.judged - self.stopped
        low = betaincinv(self.stopped, passed + 1, 0.025) if self.stopped else 0.0
        high = betaincinv(self.stopped + 1, passed, 0.975) if passed else 1.0
        return float(low), float(high)
