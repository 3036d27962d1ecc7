"""How often is a good run this far off?"""

from byhistory.prices.fit import Replay, fit
from byhistory.prices.table import Curve, Prices, shipped

__all__ = ["Curve", "Prices", "Replay", "fit", "shipped"]
