"""How does a job guard its table?"""

from byhistory.validator.address import Backup, backup
from byhistory.validator.backtest import Backtest, Replayed
from byhistory.validator.calibrate import Calibration
from byhistory.validator.column import ColumnPicture
from byhistory.validator.due import DueLine
from byhistory.validator.inbox import Waiting
from byhistory.validator.judged import Judged
from byhistory.validator.learning import Spread
from byhistory.validator.preview import Preview
from byhistory.validator.reading.past import Backfilled
from byhistory.validator.reading.rows import RunRows
from byhistory.validator.rooms import Decisions, Learning, Overrides, Records, Sources
from byhistory.validator.standing import Standing
from byhistory.validator.validator import Validator

__all__ = [
    "Backfilled",
    "Backtest",
    "Backup",
    "Calibration",
    "ColumnPicture",
    "Decisions",
    "DueLine",
    "Judged",
    "Learning",
    "Overrides",
    "Preview",
    "Records",
    "Replayed",
    "RunRows",
    "Sources",
    "Spread",
    "Standing",
    "Validator",
    "Waiting",
    "backup",
]
