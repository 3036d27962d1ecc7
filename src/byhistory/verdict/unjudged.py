"""What did a verdict not look at, or by less than there is?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unjudged:
    """One column (the number of rows, if it is empty), and in words what of it was not judged, or by how little."""

    column: str
    why: str
