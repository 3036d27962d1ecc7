"""What characters are in a text column, counted for all values together."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np

from byhistory.profile.arrays import Bools, Bytes, Ints, lengths_of_runs

LETTER, DIGIT, PUNCTUATION, SPACE, OTHER = range(5)
"""Classes of characters, as numbers of an array."""
UPPER = 8 + LETTER
"""A capital is a letter with one more bit, which a pattern leaves out."""
_FIRST = np.uint8(16)
"""Marks the first character of a string."""
SYMBOLS = (b"ld-_?".ljust(16, b"?") * 2).ljust(256, b"?")
"""The symbol of each class in a pattern: letters, digits, punctuation, white space, anything else."""
LONGEST_PATTERN = 64
"""Longer patterns are cut here, by choice: texts that differ only later are free text, and share a pattern."""


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
    patterns: Strings
    """The pattern of each string; a single one if all have the same."""


def characters(strings: Strings, weights: Ints | None = None) -> Characters:
    """Count the classes of characters, and write down the pattern of every string (Paper: Algorithm 2).

    A pattern has one symbol for each run of characters of the same class.

    >>> s = Strings(np.frombuffer(b"AB-12", np.uint8), np.array([0]), np.array([5]))
    >>> c = characters(s)
    >>> c.totals[UPPER], bytes(c.patterns.data)
    (np.int64(2), b'l-d')
    """
    classes, starts, lengths = _classified(strings)
    has = slice(None) if lengths.all() else np.flatnonzero(lengths)
    totals = np.zeros(UPPER + 1, np.int64)
    for k in (DIGIT, PUNCTUATION, SPACE, OTHER, UPPER):
        here = classes == k
        if weights is None or not len(classes):
            totals[k] = np.count_nonzero(here)
        else:
            totals[k] = np.add.reduceat(here, starts[has], dtype=np.int64) @ weights[has]
    totals[LETTER] = (len(classes) if weights is None else lengths @ weights) - totals.sum()
    edge = np.zeros(len(lengths), np.bool_)
    if totals[SPACE]:
        edge[has] = (classes[starts[has]] == SPACE) | (classes[starts[has] + lengths[has] - 1] == SPACE)
    return Characters(totals, lengths, edge, _patterns(classes, starts, has))


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


def _patterns(classes: Bytes, starts: Ints, has: slice | Ints) -> Strings:
    """One symbol for each run of one class within a string, at most LONGEST_PATTERN of them."""
    strings = len(starts)
    if not len(classes):
        return Strings(classes, np.zeros(strings, np.int64), np.zeros(strings, np.int64))
    symbols: Bytes = classes & np.uint8(7)
    symbols[starts[has]] |= _FIRST
    if _are_alike(symbols, strings):  # codes, times, telephone numbers
        symbols, strings = symbols[: len(symbols) // strings], 1
    new = np.ones(len(symbols), np.bool_)
    np.not_equal(symbols[1:], symbols[:-1] & np.uint8(7), out=new[1:])
    runs = np.compress(new, symbols)  # what symbols[new] gives, several times faster
    if _are_alike(runs, strings):
        runs, strings, has = runs[: len(runs) // strings], 1, slice(None)
    size = np.zeros(strings, np.int64)
    size[has] = lengths_of_runs(np.flatnonzero(runs >= _FIRST), len(runs))
    first = np.cumsum(size) - size
    return Strings(_translated(runs, SYMBOLS), first, np.minimum(size, LONGEST_PATTERN))


def _are_alike(symbols: Bytes, strings: int) -> bool:
    """Whether all strings have the same symbols, the first of each marked: then all are as long as well."""
    size = len(symbols) // strings
    return size * strings == len(symbols) and np.array_equal(symbols[size:], symbols[:-size])
