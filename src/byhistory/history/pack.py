"""The programs of all columns of a table as one value: versioned, compressed."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from byhistory.errors import StoreError
from byhistory.profile.unzip import DAMAGE, MOST_OF_TABLE, unzipped

MAGIC = b"BHT"
VERSION = 3
_FIRST, _SECOND = 1, 2
"""Earlier formats that are still read: the first stored all as text, the second repeated every line."""
_PACKED_LINE = re.compile(r'"(?:values|curves|weights|limits)": "')
"""The beginning of a packed line of numbers in a program."""
_SHORT = 64
"""A line of numbers with fewer characters is not worth packing."""
_REMEMBERED = 256
"""How many lines are remembered as such: those of prices, about 8 KB each, are the same in all tables."""
_MARK = "\0"
_ASKED = "read the programs that were kept"
_LEARN = "learn again: the runs they were learned from are kept beside them"


def packed(texts: Mapping[str, str]) -> bytes:
    """Texts by name as bytes.

    Numbers that are one packed line in a program are stored next to the texts, as the bytes that they were before: they
    do not get smaller by compression, and trying took most of the time. A line that occurs many times is stored once:
    columns of one kind have the same prices.

    >>> unpacked(packed({"price": "{}", "größe": ""}))
    {'price': '{}', 'größe': ''}
    """
    lines: list[str] = []
    bodies = [_without_lines(text, lines).encode("utf-8", "surrogatepass") for text in texts.values()]
    place = {line: i for i, line in enumerate(dict.fromkeys(lines))}
    found = [base64.b64decode(line) for line in place]
    about = [
        list(texts),
        [len(body) for body in bodies],
        [len(line) for line in found],
        [place[line] for line in lines],
    ]
    head = json.dumps(about).encode()
    small = zlib.compress(struct.pack("<I", len(head)) + head + b"".join(bodies), 1)
    return b"".join([MAGIC, bytes([VERSION]), struct.pack("<Q", len(small)), small, *found])


def unpacked(data: bytes) -> dict[str, str]:
    """The texts that `packed` was given; a clear error for other bytes, damaged ones, or those of a later version."""
    if data[:3] != MAGIC or len(data) < 4:
        raise StoreError(_ASKED, f"bytes that do not begin as programs ({data[:8]!r})", _LEARN)
    if data[3] > VERSION:
        raise StoreError(_ASKED, f"format {data[3]}, newer than {VERSION}", "upgrade byhistory")
    try:
        return _first_format(data) if data[3] == _FIRST else _with_places(data)
    except (struct.error, *DAMAGE) as damage:
        raise StoreError(_ASKED, f"damaged bytes ({damage})", _LEARN) from damage


def _with_places(data: bytes) -> dict[str, str]:
    (size,) = struct.unpack_from("<Q", data, 4)
    end = 12 + size
    body = unzipped(data[12:end], MOST_OF_TABLE)
    (size,) = struct.unpack_from("<I", body)
    names, sizes, line_sizes, *places = json.loads(body[4 : 4 + size])
    if not all(isinstance(name, str) for name in names):
        raise ValueError("a name that is no text")
    lines = []
    for length in line_sizes:
        lines.append(base64.b64encode(data[end : end + length]).decode("ascii"))
        end += length
    found = iter(lines if data[3] == _SECOND else [lines[place] for place in places[0]])
    texts = {name: _with_lines(text, found) for name, text in _texts(body, 4 + size, names, sizes).items()}
    if end != len(data) or next(found, None) is not None:
        raise ValueError(f"{len(data)} bytes where {end} were announced")
    return texts


def _first_format(data: bytes) -> dict[str, str]:
    body = unzipped(data[4:], MOST_OF_TABLE)
    (size,) = struct.unpack_from("<I", body)
    names, sizes = json.loads(body[4 : 4 + size])
    return _texts(body, 4 + size, names, sizes)


def _texts(body: bytes, start: int, names: Sequence[str], sizes: Sequence[int]) -> dict[str, str]:
    texts = {}
    for name, length in zip(names, sizes, strict=True):
        texts[name] = body[start : start + length].decode("utf-8", "surrogatepass")
        start += length
    if start != len(body):
        raise ValueError(f"{len(body)} bytes where {start} were announced")
    return texts


def _without_lines(text: str, lines: list[str]) -> str:
    """The text with a mark in place of every packed line, which is appended to `lines`."""
    if _MARK in text:
        return text.replace(_MARK, _MARK * 2)
    parts, at = [], 0
    while (found := _PACKED_LINE.search(text, at)) is not None:
        start = found.end()
        end = max(text.find('"', start), start)
        is_line = _is_line(text[start:end])
        parts += [text[at:start], _MARK if is_line else text[start:end]]
        lines += [text[start:end]] if is_line else []
        at = end
    return "".join([*parts, text[at:]])


def _with_lines(text: str, lines: Iterator[str]) -> str:
    if _MARK * 2 in text:
        return text.replace(_MARK * 2, _MARK)
    first, *rest = text.split(_MARK)
    found = list(islice(lines, len(rest)))
    if len(found) < len(rest):
        raise ValueError(f"{len(rest)} lines where {len(found)} are left")
    return "".join([first, *(line + part for line, part in zip(found, rest, strict=True))])


@lru_cache(_REMEMBERED)
def _is_line(text: str) -> bool:
    """Whether a text is bytes in base64, and long enough to be worth it."""
    if len(text) < _SHORT:
        return False
    try:
        found = base64.b64decode(text, validate=True)
    except ValueError:
        return False
    return base64.b64encode(found).decode("ascii") == text
