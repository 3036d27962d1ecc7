"""Which constraints to keep?"""

from byhistory.program.codec import from_json, to_json
from byhistory.program.explain import explain
from byhistory.program.learn import LEARNERS, learn, learn_column
from byhistory.program.overrides import Override, overridden
from byhistory.program.program import NEEDED_RUNS, Program

__all__ = [
    "LEARNERS",
    "NEEDED_RUNS",
    "Override",
    "Program",
    "explain",
    "from_json",
    "learn",
    "learn_column",
    "overridden",
    "to_json",
]
