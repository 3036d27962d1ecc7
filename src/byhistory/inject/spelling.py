"""Characters changed in many texts at once, in the buffer that holds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from byhistory.profile.arrays import Bools, Bytes, Floats, Ints
from byhistory.rows.chars import Strings

_FIRST = np.zeros(256, np.uint8)
"""First character of the class (digits, small letters, capitals) of each character."""
_SIZE = np.zeros(256, np.uint8)
"""How many characters that class has; 0 for what is never changed."""
for _a, _n in ((ord("0"), 10), (ord("a"), 26), (ord("A"), 26)):
    _FIRST[_a : _a + _n], _SIZE[_a : _a + _n] = _a, _n
_CAN_CHANGE = (_SIZE > 0).astype(np.uint8).tobytes()
_IS_DIGIT = (_SIZE == 10).astype(np.uint8).tobytes()
ALPHANUMERIC = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", np.uint8)


@dataclass(frozen=True, slots=True)
class Digits:
    """Numbers as they are written, packed, and where their digits are (those of an exponent left out)."""

    strings: Strings
    places: Ints
    """The place of each digit in the buffer."""
    first: Ints
    """For each number, the place of its first digit among all digits."""
    count: Ints
    """For each number, how many digits it has; 0 for NaN and infinity."""


def digits_of(strings: Strings) -> Digits:
    """Where the digits are in numbers that lie packed in a buffer.

    >>> d = digits_of(Strings(np.frombuffer(b"-1.5e+20", np.uint8), np.array([0]), np.array([8])))
    >>> d.places.tolist(), d.count.tolist()
    ([1, 3], [2])
    """
    starts, lengths = strings.starts, strings.lengths
    if not len(starts):
        return Digits(strings, starts, starts, lengths)
    begin, end = int(starts[0]), int(starts[-1] + lengths[-1])
    data, starts = strings.data[begin:end], starts - begin
    is_digit = np.frombuffer(data.tobytes().translate(_IS_DIGIT), np.bool_)
    exponents = np.flatnonzero((data | 0x20) == ord("e"))
    if len(exponents):
        owner = np.searchsorted(starts, exponents, "right") - 1
        is_digit = is_digit & ~_spans(exponents, starts[owner] + lengths[owner] - exponents, len(data))
    places = np.flatnonzero(is_digit).astype(np.int64)
    first = np.searchsorted(places, starts)
    count = np.searchsorted(places, starts + lengths) - first
    return Digits(Strings(data, starts, lengths), places, first, count)


def _spans(starts: Ints, lengths: Ints, size: int) -> Bools:
    """True within any of the spans."""
    steps = np.zeros(size + 1, np.int64)
    np.add.at(steps, starts, 1)
    np.add.at(steps, starts + lengths, -1)
    return np.cumsum(steps)[:-1] > 0


def perturbed(data: Bytes, places: Ints, random: np.random.Generator) -> Bytes:
    """Another character of the same class (digit, small letter, capital) at each of these places.

    >>> perturbed(np.frombuffer(b"a1", np.uint8), np.array([1]), np.random.default_rng(0)).tobytes()[:1]
    b'a'
    """
    old = data[places]
    size = _SIZE[old]
    step = 1 + (random.random(len(places), np.float32) * (size - 1)).astype(np.uint8)  # 1 to size - 1: never itself
    new = data.copy()
    new[places] = _FIRST[old] + (old - _FIRST[old] + np.minimum(step, size - 1)) % size
    return new


def changeable(data: Bytes) -> Ints:
    """Where the ASCII letters and digits are; what class other characters belong to is less certain."""
    return np.flatnonzero(np.frombuffer(data.tobytes().translate(_CAN_CHANGE), np.bool_)).astype(np.int64)


def thinned(places: Ints, share: float, random: np.random.Generator) -> Ints:
    """Each of the places is kept with this probability; at least one if there are any."""
    if share >= 1.0 or not len(places):
        return places
    chosen = random.integers(0, 1 << 16, len(places), dtype=np.uint16) < round(share * (1 << 16))
    return places[chosen] if chosen.any() else places[random.integers(len(places), size=1)]


def a_place_in(strings: Strings, chosen: Ints, room: int, random: np.random.Generator) -> Ints:
    """A random place in each of the chosen strings (`room` 1: the end counts as one), never inside a character."""
    starts, lengths = strings.starts[chosen], strings.lengths[chosen]
    offsets = (random.random(len(chosen)) * (lengths + room)).astype(np.int64)
    places = starts + np.minimum(offsets, lengths + room - 1)
    padded_end = len(strings.data)
    for _ in range(3):  # a character has at most three bytes behind its first
        inside = (places < padded_end) & (places > starts)
        inside[inside] = (strings.data[places[inside]] & 0xC0) == 0x80
        if not inside.any():
            break
        places = places - inside
    return places


def inserted(strings: Strings, chosen: Ints, places: Ints, characters: Bytes) -> Strings:
    """One byte before each of these places (rising, one in each chosen string)."""
    lengths = strings.lengths.copy()
    lengths[chosen] += 1
    return Strings(np.insert(strings.data, places, characters), np.cumsum(lengths) - lengths, lengths)


def deleted(strings: Strings, chosen: Ints, places: Ints) -> Strings:
    """The strings without the character that begins at each of these places (one in each chosen string)."""
    keep = np.ones(len(strings.data), np.bool_)
    lengths = strings.lengths.copy()
    ends = (strings.starts + strings.lengths)[chosen]
    keep[places] = False
    lengths[chosen] -= 1
    for _ in range(3):
        places = places + 1
        behind = places < ends
        behind[behind] = (strings.data[places[behind]] & 0xC0) == 0x80
        if not behind.any():
            break
        chosen, places, ends = chosen[behind], places[behind], ends[behind]
        keep[places] = False
        lengths[chosen] -= 1
    return Strings(strings.data[keep], np.cumsum(lengths) - lengths, lengths)


def emptied(strings: Strings, chosen: Ints) -> Strings:
    """The chosen strings empty."""
    lengths = strings.lengths.copy()
    lengths[chosen] = 0
    gone = np.zeros(len(lengths), np.bool_)
    gone[chosen] = True
    data = strings.data[~np.repeat(gone, strings.lengths)]
    return Strings(data, np.cumsum(lengths) - lengths, lengths)


def read_back(strings: Strings, wanted: Ints) -> npt.NDArray[np.generic]:
    """The numbers that some of the texts spell: whole 64-bit numbers where all of them are, else floats.

    >>> read_back(Strings(np.frombuffer(b"12-3", np.uint8), np.array([0, 2]), np.array([2, 2])), np.array([1]))
    array([-3])
    """
    starts, lengths = strings.starts[wanted], strings.lengths[wanted]
    packed = np.cumsum(lengths) - lengths
    data = strings.data[np.arange(int(lengths.sum())) + np.repeat(starts - packed, lengths)]
    offsets = np.zeros(len(wanted) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    texts = pa.Array.from_buffers(pa.string(), len(wanted), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    if not (data == ord(".")).any() and not ((data | 0x20) == ord("e")).any():
        try:
            return np.asarray(pc.cast(texts, pa.int64()).to_numpy())
        except pa.ArrowInvalid:  # beyond 64 bits
            pass
    return np.asarray(pc.cast(texts, pa.float64()).to_numpy())


def replaced(numbers: npt.NDArray[np.generic], places: Ints, new: npt.NDArray[np.generic]) -> Ints | Floats:
    """The numbers with others at some places; floats if either are."""
    result = numbers.astype(np.promote_types(numbers.dtype, new.dtype) if numbers.dtype != new.dtype else numbers.dtype)
    result[places] = new
    return np.asarray(result)
