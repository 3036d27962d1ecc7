"""Which constraints to keep?"""

from byhistory.learners.base import Learner
from byhistory.learners.codec import from_json, to_json
from byhistory.learners.every import ALL, by_name
from byhistory.learners.learn import learn, learn_column
from byhistory.learners.overrides import Override, overridden
from byhistory.learners.program import NEEDED_RUNS, USUAL, Expected, Model, Program

__all__ = [
    "ALL",
    "NEEDED_RUNS",
    "USUAL",
    "Expected",
    "Learner",
    "Model",
    "Override",
    "Program",
    "by_name",
    "from_json",
    "learn",
    "learn_column",
    "overridden",
    "to_json",
]
