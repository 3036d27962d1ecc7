"""What must hold, and is it broken?"""

from byhistory.constraints.constraint import LEVELS, Constraint, Evidence, Level, Outcome
from byhistory.constraints.judge import judge

__all__ = ["LEVELS", "Constraint", "Evidence", "Level", "Outcome", "judge"]
