"""What did a verdict not look at, or by less than there is?"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unjudged:
    """One column (the number of rows, if it is empty), and in words what of it was not judged, or by how little."""

    column: str
    why: str

    @property
    def is_slight(self) -> bool:
        """Whether it was judged by at least half of the runs that there are: for machines, and no news to a person.

        >>> Unjudged("n", "judged by 54 of 55 runs").is_slight, Unjudged("n", "judged by 9 of 55 runs").is_slight
        (True, False)
        """
        found = re.fullmatch(r"judged by (\d+) of (\d+) runs", self.why)
        return found is not None and 2 * int(found[1]) >= int(found[2])
