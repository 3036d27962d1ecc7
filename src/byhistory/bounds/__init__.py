"""How often may a good run fail?"""

from byhistory.bounds.base import Bound, grid
from byhistory.bounds.cantelli import BOUND as CANTELLI
from byhistory.bounds.chebyshev import BOUND as CHEBYSHEV
from byhistory.bounds.clt import BOUND as CLT

ALL: tuple[Bound, ...] = (CHEBYSHEV, CANTELLI, CLT)

__all__ = ["ALL", "CANTELLI", "CHEBYSHEV", "CLT", "Bound", "grid"]
