"""How does a job guard its table?"""

from byhistory.validator.backtest import Backtest, Replayed
from byhistory.validator.calibrate import Calibration
from byhistory.validator.decisions import Decisions
from byhistory.validator.judged import Judged
from byhistory.validator.overrides import Overrides
from byhistory.validator.records import Records
from byhistory.validator.validator import Validator

__all__ = ["Backtest", "Calibration", "Decisions", "Judged", "Overrides", "Records", "Replayed", "Validator"]
