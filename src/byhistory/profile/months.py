"""What are the months called in the labels of runs?

In the languages of western Europe, where no name means two months. Listopad is October in Croatian and November in
Polish: such labels are doubted instead (`byhistory.profile.label`).
"""

from __future__ import annotations

import re

_NAMES = (
    ("january", "januar", "januari", "janvier", "janeiro", "jänner", "enero", "gennaio"),
    ("february", "februar", "februari", "février", "fevrier", "fevereiro", "febrero", "febbraio"),
    ("march", "märz", "maerz", "mrz", "maart", "mrt", "mars", "marts", "março", "marco", "marzo"),
    ("april", "avril", "abril", "aprile"),
    ("may", "mai", "mei", "maj", "maio", "mayo", "maggio"),
    ("june", "juni", "juin", "junho", "junio", "giugno"),
    ("july", "juli", "juillet", "julho", "julio", "luglio"),
    ("august", "augustus", "augusti", "août", "aout", "agosto"),
    ("september", "septembre", "septiembre", "setembro", "settembre"),
    ("october", "oktober", "octobre", "octubre", "outubro", "ottobre"),
    ("november", "novembre", "noviembre", "novembro"),
    ("december", "dezember", "desember", "décembre", "decembre", "diciembre", "dezembro", "dicembre"),
)
"""From January on: English, German, Dutch, Danish, Norwegian, Swedish, French, Spanish, Portuguese, Italian."""
_SHORT = 3
"""Letters of an abbreviation; those of four are not the same in each language (Turkish `mart` is no Danish `marts`)."""
_LONGER = {"janv": 1, "févr": 2, "fevr": 2, "juil": 7, "sept": 9}


def _numbers() -> dict[str, int]:
    """Every name and abbreviation with its month, but for what begins the names of two (`jui` of juin and juillet)."""
    found = dict(_LONGER)
    unclear = set()
    for number, names in enumerate(_NAMES, 1):
        for name in names:
            for word in {name, name[:_SHORT]}:
                unclear |= {word} if found.setdefault(word, number) != number else set()
    return {word: number for word, number in found.items() if word not in unclear}


NUMBERS = _numbers()
"""Names and abbreviations in small letters, with the month that each means."""
NAME = "|".join(
    "".join(c if c.isascii() else f"[{c}{c.upper()}]" for c in map(re.escape, word))
    for word in sorted(NUMBERS, key=len, reverse=True)
)
"""A pattern of all of them, the longest first; letters that are not ASCII in both cases."""


def month_of(name: str) -> int:
    """The number of a month, whatever its capitals.

    >>> month_of("Sept"), month_of("FÉVRIER"), month_of("Mär")
    (9, 2, 3)
    """
    return NUMBERS[name.lower()]
