"""How does a job guard its table?"""

from byhistory.validator.backtest import Backtest, Replayed
from byhistory.validator.calibrate import Calibration
from byhistory.validator.judged import Judged
from byhistory.validator.rooms import Decisions, Learning, Overrides, Records, Sources
from byhistory.validator.validator import Validator

__all__ = [
    "Backtest",
    "Calibration",
    "Decisions",
    "Judged",
    "Learning",
    "Overrides",
    "Records",
    "Replayed",
    "Sources",
    "Validator",
]
