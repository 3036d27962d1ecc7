"""Totals of the characters in a text column."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """What the values of a text column add up to, in characters (code points) over all values.

    Letters, digits, punctuation and white space are the Unicode classes L, N, P+S and Z (with the ASCII blanks).

    >>> Text(count=1, chars=3, letters=3) + Text(count=2, chars=1, digits=1, empties=1)
    Text(count=3, chars=4, letters=3, digits=1, punctuation=0, spaces=0, uppers=0, empties=1, edge_spaces=0)
    """

    count: int = 0
    chars: int = 0
    letters: int = 0
    digits: int = 0
    punctuation: int = 0
    spaces: int = 0
    uppers: int = 0
    empties: int = 0
    """Values that are the empty string."""
    edge_spaces: int = 0
    """Values that begin or end with white space."""

    def __add__(self, other: Text) -> Text:
        return Text(*(getattr(self, f) + getattr(other, f) for f in self.__slots__))
