"""How often is a good run this far off?"""

from byhistory.prices.fit import Replay, fit
from byhistory.prices.table import Curve, Prices, prices_at, shipped

__all__ = ["Curve", "Prices", "Replay", "fit", "prices_at", "shipped"]
