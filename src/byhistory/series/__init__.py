"""How does a metric move from run to run?"""

from byhistory.series.stationary import Stationary, make_rows_stationary, make_stationary
from byhistory.series.transform import LEVEL, Transform, apply, apply_to, interval, value_before, words

__all__ = [
    "LEVEL",
    "Stationary",
    "Transform",
    "apply",
    "apply_to",
    "interval",
    "make_rows_stationary",
    "make_stationary",
    "value_before",
    "words",
]
