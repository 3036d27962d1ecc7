"""What are the months called in the labels of runs?

In the languages of Europe and Indonesian. Listopad is October in Croatian and November in Polish: labels with a name
that means two months are doubted instead (`byhistory.profile.label`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_OTHERS = (
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "leden únor březen duben květen červen červenec srpen září říjen listopad prosinec",
    "ledna února března dubna května června července srpna září října listopadu prosince",
    "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu",
    "január február március április május június július augusztus szeptember október november december",
    "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου "
    "δεκεμβρίου",
    "januari februari maret april mei juni juli agustus september oktober november desember",
    "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
    "siječanj veljača ožujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac",
    "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
    "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
    "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
    "janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember",
)
"""Turkish, Polish, Czech, Finnish, Hungarian, Romanian, Russian, Greek, Indonesian, Catalan, Croatian, Estonian,
Lithuanian, Icelandic; as they stand alone and in a date, where that is not the same. Their abbreviations are read where
they mean one month in all of these languages.
"""
_SHORT = 3
"""Letters of an abbreviation; those of four are not the same in each language (Turkish `mart` is no Danish `marts`)."""
_LONGER = {"janv": 1, "févr": 2, "fevr": 2, "juil": 7, "sept": 9}


def _numbers() -> tuple[dict[str, int], frozenset[str]]:
    """Every name and abbreviation with its month, and those of which it is not clear which month they mean (`jui`
    begins juin and juillet). What western Europe means by a word holds against the others.
    """
    found = dict(_LONGER)
    unclear = _added(found, (((name, number) for number, names in enumerate(_NAMES, 1) for name in names)))
    found = {word: number for word, number in found.items() if word not in unclear}
    more: dict[str, int] = {}
    others = ((name, number) for names in _OTHERS for number, name in enumerate(names.split(), 1))
    unclear |= _added(more, others) - found.keys()
    more = {word: number for word, number in more.items() if word not in unclear}
    return {**more, **found}, frozenset(unclear)


def _added(found: dict[str, int], names: Iterable[tuple[str, int]]) -> set[str]:
    """Add names and their abbreviations; gives those that were there with another month."""
    unclear = set()
    for name, number in names:
        for word in {name, name[:_SHORT]}:
            unclear |= {word} if found.setdefault(word, number) != number else set()
    return unclear


NUMBERS, _UNCLEAR = _numbers()
"""Names and abbreviations in small letters, with the month that each means."""


def _any_of(words: Iterable[str]) -> str:
    return "|".join(
        "".join(c if c.isascii() else f"[{c}{c.upper()}]" for c in map(re.escape, word))
        for word in sorted(words, key=len, reverse=True)
    )


NAME = _any_of(NUMBERS)
"""A pattern of all of them, the longest first; letters that are not ASCII in both cases."""
UNCLEAR = _any_of(_UNCLEAR)
"""A pattern of the names and abbreviations that mean one month here and another there."""


_FOLDED = {word.upper().lower(): number for word, number in NUMBERS.items()}
"""The same after a way through capitals, on which a Turkish letter changes."""


def month_of(name: str) -> int:
    """The number of a month, whatever its capitals.

    >>> month_of("Sept"), month_of("FÉVRIER"), month_of("Mär"), month_of("KASIM")
    (9, 2, 3, 11)
    """
    return _FOLDED[name.upper().lower()]
