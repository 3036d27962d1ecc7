"""What must hold?"""

from byhistory.constraints.candidates import CONSTANT_PRICE, PRICE_FLOOR, Candidates, candidates
from byhistory.constraints.constraint import Constraint, Evidence, Outcome, judge

__all__ = ["CONSTANT_PRICE", "PRICE_FLOOR", "Candidates", "Constraint", "Evidence", "Outcome", "candidates", "judge"]
