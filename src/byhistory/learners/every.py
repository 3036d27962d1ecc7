"""Which learners are there?"""

from __future__ import annotations

from collections.abc import Sequence

from byhistory.errors import ByHistoryError, did_you_mean
from byhistory.learners.base import Learner
from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.paper import PAPER

ALL: tuple[Learner, ...] = (CALIBRATED, PAPER)
"""The default first."""


def by_name(name: str, learners: Sequence[Learner] = ALL) -> Learner:
    """The learner of that name.

    >>> by_name("paper").name
    'paper'
    """
    found = next((learner for learner in learners if learner.name == name), None)
    if found is None:
        names = [learner.name for learner in learners]
        hint = did_you_mean(name, names)
        raise ByHistoryError("learn a program", f"the learner {name!r}{hint}", f"name one of {', '.join(names)}")
    return found
