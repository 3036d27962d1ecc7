"""What does the learner keep whose prices were measured on good runs?"""

from byhistory.learners.calibrated.learner import CALIBRATED, Calibrated

__all__ = ["CALIBRATED", "Calibrated"]
