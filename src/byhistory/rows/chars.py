"""What characters are in a text column, counted for all values together."""

from __future__ import annotations

import string
import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np

from byhistory.profile.arrays import Bools, Bytes, Ints, lengths_of_runs

LETTER, DIGIT, PUNCTUATION, SPACE, OTHER = range(5)
"""Classes of characters, as numbers of an array."""
UPPER, MANY_DIGITS = 8, 9
"""What a pattern does not tell from a letter and from digits, and a format does: capitals, and four digits or more."""
_SIGNS = 16
"""The signs of ASCII are classes of their own from here on; punctuation beyond ASCII is one class."""
_FIRST = np.uint8(64)
"""Marks the first character of a string."""
_MANY = 4
"""From this many digits on, a number is written as a long one: a year is not a day, and what counts up changes its
format only once."""
LONGEST_PATTERN, LONGEST_FORMAT = 64, 24
"""Longer ones are cut here: texts that differ later are free text, and share them."""


def _table(symbols: dict[int, int], rest: int) -> bytes:
    """What to write for each class, whether or not it is marked as the first of its string."""
    half = bytes(symbols.get(k, rest) for k in range(int(_FIRST)))
    return (half * 2).ljust(256, bytes([rest]))


_COARSE = {LETTER: LETTER, UPPER: LETTER, DIGIT: DIGIT, MANY_DIGITS: DIGIT, SPACE: SPACE} | dict.fromkeys(
    (PUNCTUATION, *range(_SIGNS, _SIGNS + len(string.punctuation))), PUNCTUATION
)
"""What a pattern makes of the classes that a format tells apart."""
_TO_COARSE = bytes(k | first for first in (0, int(_FIRST)) for k in _table(_COARSE, OTHER)[: int(_FIRST)]).ljust(256)
SYMBOLS = _table(dict(enumerate(b"ld-_?")), ord("?"))
"""How each class is written in a pattern: letters, digits, punctuation, white space, anything else."""
FORMAT_SYMBOLS = _table(
    {LETTER: ord("a"), UPPER: ord("A"), DIGIT: ord("1"), MANY_DIGITS: ord("4"), SPACE: ord(" "), PUNCTUATION: ord("p")}
    | dict(enumerate(string.punctuation.encode(), _SIGNS)),
    ord("x"),
)
"""How each class is written in a format: small letters, capitals, up to three digits, more, white space, each sign of
ASCII as itself, other punctuation, anything else."""


@dataclass(frozen=True, slots=True)
class Strings:
    """Strings side by side in one buffer, as Arrow keeps them."""

    data: Bytes
    starts: Ints
    lengths: Ints

    def take(self, places: Ints) -> Strings:
        """Some of the strings; the bytes stay where they are."""
        return Strings(self.data, self.starts[places], self.lengths[places])


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters of all strings together, and what is known of each string."""

    totals: Ints
    """Characters of each class over all strings, each string counted with its weight."""
    lengths: Ints
    """The length of each string, in characters."""
    edge_space: Bools
    """Whether a string begins or ends with white space."""
    runs: Strings
    """The runs of characters of one class in each string, to be written down; those of one string if all are alike."""


def characters(strings: Strings, weights: Ints | None = None) -> Characters:
    """Count the classes of characters, and find the runs of one class in every string.

    >>> characters(Strings(np.frombuffer(b"AB-12", np.uint8), np.array([0]), np.array([5]))).totals[UPPER]
    np.int64(2)
    """
    classes, starts, lengths = _classified(strings)
    has = slice(None) if lengths.all() else np.flatnonzero(lengths)
    totals = np.zeros(UPPER + 1, np.int64)
    for k in (DIGIT, PUNCTUATION, SPACE, OTHER, UPPER):
        here = classes == k if k != PUNCTUATION else (classes >= _SIGNS) | (classes == PUNCTUATION)
        if weights is None or not len(classes):
            totals[k] = np.count_nonzero(here)
        else:
            totals[k] = np.add.reduceat(here, starts[has], dtype=np.int64) @ weights[has]
    totals[LETTER] = (len(classes) if weights is None else lengths @ weights) - totals.sum()
    edge = np.zeros(len(lengths), np.bool_)
    if totals[SPACE]:
        edge[has] = (classes[starts[has]] == SPACE) | (classes[starts[has] + lengths[has] - 1] == SPACE)
    return Characters(totals, lengths, edge, _runs(classes, starts, has))


def _classified(strings: Strings) -> tuple[Bytes, Ints, Ints]:
    """Class of every character, packed without gaps, with the start and length of each string in them."""
    data, starts = packed(strings)
    if data.max(initial=0) < 0x80:
        return _translated(data, _ASCII_CLASS), starts, strings.lengths
    return _classified_unicode(data, starts, strings.lengths)


def packed(strings: Strings) -> tuple[Bytes, Ints]:
    """The bytes of the strings one after another, without a copy if they already are."""
    starts, lengths = strings.starts, strings.lengths
    if len(starts) and np.array_equal(starts[1:], starts[:-1] + lengths[:-1]):
        return strings.data[starts[0] : starts[-1] + lengths[-1]], starts - starts[0]
    packed_starts = np.cumsum(lengths) - lengths
    total = int(lengths.sum())
    places = np.arange(total) + np.repeat(starts - packed_starts, lengths)
    return strings.data[places], packed_starts


def _classified_unicode(data: Bytes, starts: Ints, lengths: Ints) -> tuple[Bytes, Ints, Ints]:
    """Like `_classified`, for text beyond ASCII. Bytes that are not UTF-8 count as one character each, of no class."""
    leads = (data & 0xC0) != 0x80
    before = np.concatenate([[0], np.cumsum(leads, dtype=np.int64)])
    try:
        whole = data.tobytes().decode("utf-8")
        sound = bool(leads[starts[lengths > 0]].all())  # else the broken end of one string may complete the next
    except UnicodeDecodeError:
        sound = False
    if sound:
        char_starts = before[starts]
        char_lengths = before[starts + lengths] - char_starts
    else:
        ends = (starts + lengths).tolist()
        each = [bytes(data[a:b]).decode("utf-8", "surrogateescape") for a, b in zip(starts.tolist(), ends, strict=True)]
        whole = "".join(each)
        char_lengths = np.array([len(text) for text in each], np.int64)
        char_starts = np.cumsum(char_lengths) - char_lengths
    points = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), "<u4")
    classes = _unicode_classes().take(points, mode="clip")
    rare = np.flatnonzero(points > 0xFFFE)
    if len(rare):
        distinct, inverse = np.unique(points[rare], return_inverse=True)
        classes[rare] = np.array([_class_of(chr(p)) for p in distinct.tolist()], np.uint8)[inverse]
    return classes, char_starts, char_lengths


def _class_of(char: str) -> int:
    if char in string.punctuation:
        return _SIGNS + string.punctuation.index(char)
    category = unicodedata.category(char)
    if category in ("Lu", "Lt"):
        return UPPER
    if category[0] in "LM":  # marks belong to the letter before them
        return LETTER
    if category[0] == "N":
        return DIGIT
    if category[0] in "PS":
        return PUNCTUATION
    return SPACE if category[0] == "Z" or char in "\t\n\r\v\f" else OTHER


@cache
def _unicode_classes() -> Bytes:
    """Class of the characters up to U+FFFF; the others (emoji, rare scripts) are looked up one by one."""
    return np.array([_class_of(chr(point)) for point in range(0x10000)], np.uint8)


_ASCII_CLASS = bytes([_class_of(chr(i)) for i in range(128)] + [OTHER] * 128)


def _translated(data: Bytes, table: bytes) -> Bytes:
    """`table[data]`, by the one byte-to-byte look-up that does not widen its index first (6 times faster)."""
    return np.frombuffer(data.tobytes().translate(table), np.uint8)


def _runs(classes: Bytes, starts: Ints, has: slice | Ints) -> Strings:
    """One class for each run of one class within a string, the first of each string marked."""
    strings = len(starts)
    if not len(classes):
        return Strings(classes, np.zeros(strings, np.int64), np.zeros(strings, np.int64))
    marked = classes.copy()
    marked[starts[has]] |= _FIRST
    if _are_alike(marked, strings):  # codes, times, telephone numbers
        marked, strings, has = marked[: len(marked) // strings], 1, slice(None)
    new = _starts_of_runs(marked)
    _mark_many_digits(marked, new)
    fine = np.compress(new, marked)  # what marked[new] gives, several times faster
    if _are_alike(fine, strings):
        fine, strings, has = fine[: len(fine) // strings], 1, slice(None)
    return Strings(fine, *_places(fine, strings, has))


def written(runs: Strings) -> tuple[Strings, Strings]:
    """The pattern of every string (Paper: Algorithm 2) and its format; a single one if all have the same.

    Both have one symbol for each run of characters of the same class; a format knows more classes.

    >>> found = characters(Strings(np.frombuffer(b"AB-12", np.uint8), np.array([0]), np.array([5])))
    >>> [bytes(symbols.data) for symbols in written(found.runs)]
    [b'l-d', b'A-1']
    """
    fine, strings = runs.data, len(runs.starts)
    if not len(fine):
        return runs, runs
    has = slice(None) if runs.lengths.all() else np.flatnonzero(runs.lengths)
    coarse = _translated(fine, _TO_COARSE)
    coarse = np.compress(_starts_of_runs(coarse), coarse)
    formats = Strings(_translated(fine, FORMAT_SYMBOLS), runs.starts, np.minimum(runs.lengths, LONGEST_FORMAT))
    return _cut(coarse, strings, has, SYMBOLS, LONGEST_PATTERN), formats


def _mark_many_digits(marked: Bytes, new: Bools) -> None:
    """Give the first character of each run of many digits a class of its own, by comparing whole arrays."""
    inside = marked == DIGIT  # a digit that is not the first character of its string
    places = len(marked) - _MANY + 1
    if np.count_nonzero(inside) < _MANY - 1 or places <= 0:
        return
    many = (marked[:places] & ~_FIRST) == DIGIT
    many &= new[:places]
    for k in range(1, _MANY):
        many &= inside[k : places + k]
    marked[:places] += many.view(np.uint8) * np.uint8(MANY_DIGITS - DIGIT)


def _starts_of_runs(marked: Bytes) -> Bools:
    new = np.ones(len(marked), np.bool_)
    np.not_equal(marked[1:], marked[:-1] & ~_FIRST, out=new[1:])
    return new


def _cut(runs: Bytes, strings: int, has: slice | Ints, symbols: bytes, longest: int) -> Strings:
    """Runs as symbols, at most this many for each string."""
    if _are_alike(runs, strings):
        runs, strings, has = runs[: len(runs) // strings], 1, slice(None)
    first, size = _places(runs, strings, has)
    return Strings(_translated(runs, symbols), first, np.minimum(size, longest))


def _places(runs: Bytes, strings: int, has: slice | Ints) -> tuple[Ints, Ints]:
    """Where the runs of each string begin, and how many it has."""
    size = np.zeros(strings, np.int64)
    size[has] = lengths_of_runs(np.flatnonzero(runs >= _FIRST), len(runs))
    return np.cumsum(size) - size, size


def _are_alike(symbols: Bytes, strings: int) -> bool:
    """Whether all strings have the same symbols, the first of each marked: then all are as long as well."""
    size = len(symbols) // strings
    return size * strings == len(symbols) and np.array_equal(symbols[size:], symbols[:-size])
