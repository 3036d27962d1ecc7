"""What does the label of a run mean, and when is that certain?

Dates and times in the ways that can be read in only one way: ISO 8601 with or without an offset, `15.11.2026`, names of
months, weeks (`2026-W07`), quarters (`2026-Q3`). Everything else is compared piece by piece, numbers as numbers, which
is right for counters and epochs. `03/04/2026` is the third of April or the fourth of March: nobody can tell.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from byhistory.errors import ByHistoryError
from byhistory.profile.months import NAME, UNCLEAR, month_of

ORDER_VERSION = 5
"""Of the order that `run_key` gives; a store that sorted by an earlier one sorts again."""

LONGEST = 200
"""Characters of a label: PostgreSQL indexes a table's name and a label together up to 2,704 bytes."""

_NO_DATE = r"(?!\d{4}(?P<of>[-/_.])\d\d?(?P=of)\d\d?(?!\d)|\d\d?(?P<to>[-/_.])\d\d?(?P=to)\d{4})"
"""The end of a range of dates is not taken for the hour of its beginning."""
_CLOCK = (
    rf"(?:(?P<at>[T_-]|,?\s?(?:at\s)?){_NO_DATE}(?P<hour>[01]\d|2[0-4]|\d(?=:|\s?[ap]\.?m))"
    r"(?:(?P<in>(?P<colon>:)|-(?=\d\d(?:-\d\d)?(?![\d:]))|[._]?)(?P<minute>[0-5]\d)"
    r"(?:(?P=in)(?P<second>[0-5]\d)(?:[.,](?P<part>\d+))?)?)?(?:\s?(?P<half>[ap])\.?m(?![a-z])\.?)?)?"
)
_ZONES = {
    name: hours
    for hours, names in (
        *((0, "UTC GMT WET"), (1, "CET MEZ WEST BST"), (2, "CEST MESZ EET"), (3, "EEST")),
        *((-8, "PST"), (-7, "PDT MST"), (-6, "MDT CST"), (-5, "CDT EST"), (-4, "EDT")),
        *((10, "AEST"), (11, "AEDT"), (12, "NZST"), (13, "NZDT")),
    )
    for name in names.split()
}
"""Hours east of Greenwich of the zones whose name changes with the season: in autumn, one hour comes twice."""
_ZONE = (
    rf"(?(hour)(?P<zone>\s?(?:Z|{'|'.join(_ZONES)})(?![A-Za-z])|\s?[+-](?:0\d|1[0-4]):?[0-5]\d(?!\d)"
    r"|\+(?:0\d|1[0-4])(?!\d)|(?(colon)-(?:0\d|1[0-4])(?!\d)))?)"
)
"""An offset from UTC; after an hour alone, or minutes without a colon, `-05` is more likely minutes, or a number."""
_CENTURY = r"(?:19|20|21)\d\d"
"""A year beside a name: `Aug2725` has a day and a year of two digits, `Aug-30 2200h` an hour."""
_NO_DAY = r"(?<!\d[ ./_-])(?<!\d[.,/_-] )(?<!\d, )"
"""Not behind a number: in `31-Aug-25 2050` the year stands between, and there is an hour behind it."""
_EDGE, _END = r"(?<![0-9A-Za-z\u00aa-\uffff])", r"(?![0-9A-Za-z\u00aa-\uffff])"
_DATED = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        # 2026-11-15, 2026/11/15, 2026_11_15, with a time
        rf"(?<!\d)(?P<year>\d{{4}})(?P<sep>[-/_. ])(?P<month>\d\d?)(?P=sep)(?P<day>\d\d?)(?!\d){_CLOCK}{_ZONE}(?!\d)",
        # 20261115, 20261115T0300Z, 2026111503
        rf"(?<!\d)(?P<year>(?:19|20|21)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01]){_CLOCK}{_ZONE}(?!\d)",
        # 15.11.2026, with a time
        rf"(?<!\d)(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>\d{{4}})(?!\d){_CLOCK}{_ZONE}(?!\d)",
        # 2026年11月15日, 2026년 11월 15일
        rf"(?<!\d)(?P<year>\d{{4}})\s?[年년]\s?(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日일]{_CLOCK}{_ZONE}(?!\d)",
        # 15 Nov 2026, 15-November-2026
        rf"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th|er)?[ ./_-]{{0,2}}(?:de )?(?P<name>{NAME})[ ,./_-]{{0,2}}(?:de )?"
        rf"(?P<year>{_CENTURY})(?![\dh]){_CLOCK}{_ZONE}(?!\d)",
        # Nov 15, 2026
        rf"{_EDGE}{_NO_DAY}(?P<name>{NAME})[ ,./_-]{{0,2}}(?P<day>\d\d?)(?:st|nd|rd|th)?[ ,./_-]{{1,2}}"
        rf"(?P<year>{_CENTURY})(?![\dh]){_CLOCK}{_ZONE}(?!\d)",
        # 2026-Nov-15, 2026 November
        rf"(?<!\d)(?P<year>\d{{4}})[ ./_-]{{0,2}}(?P<name>{NAME})(?:[ ./_-]{{1,2}}(?P<day>\d\d?))?{_END}",
        # Nov 2026, November-2026
        rf"{_EDGE}{_NO_DAY}(?P<name>{NAME})[ ./,_-]{{0,2}}(?:de )?(?P<year>{_CENTURY})(?![\dh])",
        # 2026-11, 2026/1
        r"(?<!\d)(?<!\d[./_-])(?P<year>(?:19|20|21)\d\d)[-/_.](?P<month>0?[1-9]|1[0-2])(?![-/_.]?\d)",
        # 11.2026, 1/2026, 11-2026
        r"(?<![0-9a-z])(?<!\d[./_-])(?P<month>0?[1-9](?=[./])|0[1-9]|1[0-2])[./_-](?P<year>(?:19|20|21)\d\d)(?![./_-]?\d)",
    )
)
_WHAT = r"(?P<what>week|wk|kw|cw|w|quarter|quartal|qtr|fq|q|half|hy|h)"
_PERIOD = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        # 2026-W07, 2026-W07-1, 2026 Q3
        rf"(?<!\d)(?P<year>\d{{4}})[ /_-]?{_WHAT}[ ._]?(?P<number>\d\d?)(?:-(?P<day>[1-7]))?(?!\d)",
        # W7 2026, week 7, 2026, KW 7/2026, Q3-FY2026
        rf"(?<![0-9A-Za-z]){_WHAT}[ ._-]?(?P<number>\d\d?)[ .,/_-]{{0,2}}(?:FY|CY)?(?P<year>\d{{4}})(?![./_-]?\d)",
    )
)
_OTHER_PART = re.compile(
    r"(?<![a-z])(?:wo|woche|tháng|sem|semaine|semana|settimana|sett|vecka|uke|uge|semester|halbjahr|trim|trimestre|kvartal|kwartaal)"
    r"[ ._-]{0,2}\d\d?(?!\d)",
    re.IGNORECASE | re.ASCII,
)
"""Weeks, quarters and halves of a year in other languages, in which a number behind it may be a year."""
_NUMBERED_MONTH = re.compile(
    rf"\d[\W_]{{0,3}}(?<![a-z])(?:{NAME})(?![a-z])|(?<![a-z])(?:{NAME})(?![a-z])[\W_]{{0,3}}\d",
    re.IGNORECASE | re.ASCII,
)
_MONTH = re.compile(rf"(?<![a-z])(?:{NAME})(?![a-z])", re.IGNORECASE | re.ASCII)
_PART_OF_DAY = r"(?<![a-z])(?:morning|noon|afternoon|evening|night|midnight|[ap]\.?m)(?![a-z])"
_NOT_BEHIND = re.compile(rf"\d\s?[ap]\.?m(?![a-z])|{_PART_OF_DAY}", re.IGNORECASE | re.ASCII)
_DAY_OR_MONTH = re.compile(r"(?<!\d)\d\d?([-/_. ])\d\d?\1(?:\d{4}|\d\d)(?!\d)", re.ASCII)
_PACKED_DATE = re.compile(
    r"(?<!\d)(?:(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|[12]\d|3[01])|0[1-9]|1[0-2])(?:19|20|21)\d\d(?!\d)", re.ASCII
)
_IN_A_DAY = rf"(?<!\d)\d\d?:\d\d(?!\d)|(?<!\d)\d\d?h\d\d(?!\d)|\d\s?[ap]\.?m(?![a-z])|{_PART_OF_DAY}"
_NO_COUNTER = r"(?!run|batch|load|version|part|shop|no)"
_DAY_WORD_YEAR = (
    rf"(?<!\d)\d\d?[\W_]{{0,2}}{_NO_COUNTER}[^\W\d_]{{3,}}[\W_]{{0,2}}\d\d(?!\d)"
    rf"|(?<![^\W\d_]){_NO_COUNTER}[^\W\d_]{{3,}}[\W_]{{0,2}}\d\d?[\W_]{{1,2}}\d\d(?:\d\d)?(?!\d)"
    rf"|(?<!\d)\d\d(?:\d\d)?[\W_]{{0,2}}{_NO_COUNTER}[^\W\d_]{{3,}}[\W_]{{0,2}}\d\d?(?!\d)"
)
"""A day, a word and a year, in any order; a counter of runs or parts is no day."""
_DAYS, _MONTHS, _YEARS = r"(?:0[1-9]|[12]\d|3[01])", r"(?:0[1-9]|1[0-2])", r"(?:19|2\d|30)"
_SIX_DIGITS = rf"(?<!\d)(?!{_YEARS}{_MONTHS}{_DAYS})(?:{_DAYS}{_MONTHS}|{_MONTHS}{_DAYS}){_YEARS}(?!\d)"
_DOUBTS = tuple(
    (re.compile(pattern, re.IGNORECASE | re.ASCII), doubt)
    for pattern, doubt in (
        (r"^-\d", "a number below zero, or a dash before it"),
        (r"^\d+(?:\.\d*)?e[+-]?\d", "a number with an exponent"),
        (r"\d([-/_.])\d\d?\1(?:19|20|21)\d\d\d", "a date with digits right behind it"),
        (r"^\d\d?(?:\.\d\d?\.|[-/ ]\d\d?)$", "a day and a month without a year"),
        (r"^(?:0[1-9]|1[0-2])[._]\d\d$", "a month and a year of two digits, or a number"),
        (rf"(?<![^\W\d_])(?:{UNCLEAR})(?![^\W\d_])", "a name that is one month in one language and another in another"),
        (_SIX_DIGITS, "six digits that look like a day and a month before the year"),
        (r"(?<!\d)(?:19|20|21)\d\d(?:1[3-9]|2\d|3[01])(?:0[1-9]|1[0-2])(?!\d)", "a year with a day before the month"),
        (_IN_A_DAY, "a time of the day, and no date"),
        (_DAY_WORD_YEAR, "a word between a day and a year that is no month we know"),
        (rf"\d[qhsw]\d|(?<![a-z]){_WHAT}[ ._-]?\d.*\d\d", "a part of a year, and no year of four digits beside it"),
        (r"\d[^\d]+(?:19|20|21)\d\d(?!\d)|(?<![a-z])[ivx]+\b.*\d{4}", "a year behind a number that is no date"),
        (r"(?<!\d)(?:19|20|21)\d\d[-/_. ]?[ivx]+(?![a-z0-9])", "a year and a number in Roman letters"),
        (r"(?<![0-9a-z])(?:0x[0-9a-f]|(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8})", "letters among digits, as in a digest"),
    )
)
"""Labels whose order, piece by piece, need not be that of their times."""
_NO_LETTERS = ("Cc", "Cf", "Cs", "Zl", "Zp")
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Letters and marks that show nothing, in addition to those that Unicode classes as format characters."""
_TURN = re.compile(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])")
_YEAR = r"(?:19|20|21)\d\d(?!\d)"
_WORD = r"(?!run|batch|load|version)[^\W\d_]{3,}"
_NAMED_MONTH = re.compile(
    rf"\d[\W_]{{0,2}}[^\W\d_]{{3,}}[\W_]{{0,2}}{_YEAR}"
    rf"|(?<![^\W\d_]){_WORD}[\W_]{{0,2}}{_YEAR}$|(?<!\d){_YEAR}[\W_]{{0,2}}{_WORD}(?:\W?\d\d?)?$",
    re.IGNORECASE,
)
"""A year beside one word. A counter of runs may stand at 2026, too: then nothing is lost but that it is said."""


def checked_label(label: str) -> str:
    """The label, if it can name a run: asked before anything is read or written.

    >>> checked_label("2026-11-15"), checked_label("03/04/2026")
    ('2026-11-15', '03/04/2026')
    >>> checked_label("../orders")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    byhistory.errors.ByHistoryError: Asked: take '../orders' as the label of a run. Found: the way to ...
    """
    found = ""
    if not label.strip():
        found = "nothing to see in it"
    elif len(label) > LONGEST:
        found = f"{len(label):,} characters"
    elif any(unicodedata.category(c) in _NO_LETTERS for c in label):
        found = "a control character, a line break, or a change of direction"
    elif label != label.strip():
        found = "white space around it"
    elif unicodedata.normalize("NFC", label) != label or any(map(_is_look_alike, label)):
        found = "a character that looks like another: a digit, a dash or a space that is not the one of a keyboard"
    elif any(part in (".", "..") for part in re.split(r"[/\\\\]", label)):
        found = "the way to another folder"
    if found:
        # Two runs whose labels look the same would be two runs: each day is then learned from, and decided on, twice.
        todo = f"name the run by a date or a number, in up to {LONGEST} characters"
        raise ByHistoryError(f"take {label[:40]!r} as the label of a run", found, todo)
    return label


def _is_look_alike(sign: str) -> bool:
    """Whether a character is easily taken for one of a keyboard, or is not seen at all."""
    if sign.isascii():
        return False
    return unicodedata.category(sign) in ("Nd", "Pd", "Zs") or sign == "\u2212" or _UNSEEN.match(sign) is not None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a label means: a text that sorts as the runs do, the time if it holds nothing else, and any doubt of both.

    The text is in UTC where the label has an offset; the time is the one that is written there, on the user's clocks.
    """

    ordered: str
    time: datetime | None = None
    doubt: str = ""


@lru_cache(100_000)
def meaning(label: str) -> Meaning:
    """Read a label.

    >>> [meaning(x).ordered for x in ("15.11.2026", "Nov 2026", "2026-10-25 02:30+02:00", "W7 2026", "run 17")]
    ['2026-11-15', '2026-11', '2026-10-25T00:30:00.000000', '2026-W7', 'run 17']
    >>> meaning("03/04/2026").doubt, meaning("run 17").doubt
    ('a date whose day and month cannot be told apart', '')
    """
    for pattern in _PERIOD:
        if (period := pattern.search(label)) is not None:
            rest = label[: period.start()] + label[period.end() :]
            day = period.groupdict().get("day")
            text = f"{period['year']}-{_letter(period)}{period['number']}{f'-{day}' if day else ''}"
            doubt = _doubt_of_rest(rest) or ("a month beside a part of a year" if _MONTH.search(rest) else "")
            return Meaning(f"{text}\x01{rest}", doubt=doubt) if rest else Meaning(text, _begin(period))
    if _OTHER_PART.search(label):
        return Meaning(label, None, "a part of a year in another language than English")
    found = _first_dates(label)
    unclear = _DAY_OR_MONTH.search(label)
    if found and unclear is not None and unclear.start() < found[0].start():
        found = []  # 31/12/2026-01-30: what looks like a date in it is a year and a time.
    # Many dates, or one that does not exist: a label of something else. Of two, the first begins it.
    if len(found) in (1, 2) and all(map(_dated, found)) and (dated := _dated(found[0])) is not None:
        text, time, end = dated
        rest = label[: found[0].start()] + label[end:]
        # Digits alone sort as they are, whether they are dates or a counter that happens to look like one.
        ordered = label if label.isdigit() else f"{text}\x01{rest}" if rest else text
        return Meaning(ordered, time if found[0][0] == label else None, _doubt_of_rest(rest))
    doubt = _doubt(label)
    if found and not doubt and not label.isdigit() and any(found[0].groupdict().get(k) for k in ("day", "name")):
        doubt = "what looks like a date, and is none"
    return Meaning(label, None, doubt)


def _doubt_of_rest(rest: str) -> str:
    """Why the order of runs of one date is not certain, from what stands beside the date."""
    if _NUMBERED_MONTH.search(rest):
        return "the name of a month beside a date"
    return "a time of the day that is not behind its date" if _NOT_BEHIND.search(rest) else ""


def _first_dates(label: str) -> list[re.Match[str]]:
    """The dates of that form which begins first: behind 31.12.2025, `2025_01_30` is a year and a time."""
    first: list[re.Match[str]] = []
    for pattern in _DATED:
        found = list(pattern.finditer(label))
        if found and (not first or found[0].start() < first[0].start()):
            first = found
        if first and first[0].start() == 0:
            break
    return first


def _dated(found: re.Match[str]) -> tuple[str, datetime, int] | None:
    """A text that sorts, the time, and where in the label the text ends; None for a date that does not exist.

    The text leaves out an hour that may be a number: its own digits sort as both, `2026-01-01_05` and then `_25`.
    """
    parts = {name: value or "" for name, value in found.groupdict().items()}
    named, hour, half = parts.get("name", ""), parts.get("hour", ""), parts.get("half", "")
    month = month_of(named) if named else int(parts["month"])
    fraction = parts.get("part", "").ljust(6, "0")
    try:
        time = datetime(int(parts["year"]), month, int(parts.get("day") or 1))  # noqa: DTZ001 - the user's own calendar
        hours = int(hour or 0) if not half else int(hour) % 12 + 12 * (half in "pP")
        time += timedelta(hours=hours, minutes=int(parts.get("minute") or 0))
        time += timedelta(seconds=int(parts.get("second") or 0), microseconds=int(fraction[:6]))
        in_utc = time - _offset(parts.get("zone", ""))
    except (ValueError, OverflowError):
        return None
    is_surely_time = parts.get("at") in ("T", "t") or parts.get("colon") or parts.get("zone") or half
    if hour and is_surely_time:
        return in_utc.isoformat(timespec="microseconds") + fraction[6:], time, found.end()
    day = time - timedelta(hours=hours)
    text = f"{day:%Y-%m-%d}" if parts.get("day") else f"{day:%Y-%m}"
    return text, time, found.start("at") if hour else found.end()


def _offset(zone: str) -> timedelta:
    if (name := zone.strip().upper()) in _ZONES:
        return timedelta(hours=_ZONES[name])
    digits = re.sub(r"[^0-9]", "", zone)
    east = timedelta(hours=int(digits[:2] or 0), minutes=int(digits[2:] or 0))
    return -east if zone.strip().startswith("-") else east


def _letter(period: re.Match[str]) -> str:
    """W, Q or H, whatever the word for it."""
    return period["what"][0].upper().translate(str.maketrans("KCF", "WWQ"))


def _begin(period: re.Match[str]) -> datetime | None:
    """The first day of a week, a quarter or a half of a year."""
    year, number = int(period["year"]), int(period["number"])
    months = {"Q": 3, "H": 6}.get(_letter(period))
    try:
        if months is None:
            return datetime.fromisocalendar(year, number, int(period.groupdict().get("day") or 1))
        return datetime(year, 1 + months * (number - 1), 1)  # noqa: DTZ001 - the user's own calendar
    except ValueError:
        return None


def _doubt(label: str) -> str:
    """Why the order of such labels is not certain; empty if it is."""
    if not re.search(r"[0-9]", label):
        return "no number and no date"
    if _DAY_OR_MONTH.search(label) or _PACKED_DATE.search(label):
        return "a date whose day and month cannot be told apart"
    if _MONTH.search(label):
        return "the name of a month, and no year of four digits beside it"
    if _NAMED_MONTH.search(label):
        return "a word beside a year that is no month we know"
    if max(len(_TURN.findall(part)) for part in re.split(r"[^0-9A-Za-z]", label)) >= 4:
        return "letters and digits in turn, as in a digest"
    return next((doubt for pattern, doubt in _DOUBTS if pattern.search(label)), "")
