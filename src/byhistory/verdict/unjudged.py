"""What did a verdict not judge, or by fewer runs than there are?"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A column (the number of rows, if empty), and in words what about it was not judged, or by how few runs."""

    column: str
    why: str

    @property
    def is_slight(self) -> bool:
        """Whether it was judged by at least half of the runs that there are, which is of no interest to a person.

        >>> Unjudged("n", "judged by 54 of 55 runs").is_slight, Unjudged("n", "judged by 9 of 55 runs").is_slight
        (True, False)
        """
        found = re.fullmatch(r"judged by (\d+) of (\d+) runs", self.why)
        return found is not None and 2 * int(found[1]) >= int(found[2])
