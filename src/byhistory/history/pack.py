"""The programs of all columns of a table as one value: versioned, compressed."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

from byhistory.errors import StoreError
from byhistory.profile.unzip import DAMAGE, MOST_OF_TABLE, unzipped

MAGIC = b"BHT"
VERSION = 2
_FIRST = 1
"""The format before it, which is still read."""
_PACKED_LINE = re.compile(r'"(?:values|curves)": "')
"""How a packed line of numbers begins in a program."""
_SHORT = 64
"""Characters below which packing a line of numbers saves nothing."""
_MARK = "\0"
_ASKED = "read the programs that were kept"
_LEARN = "learn again: the runs they were learned from are kept beside them"


def packed(texts: Mapping[str, str]) -> bytes:
    """Texts by name as bytes.

    Numbers that a program has as one packed line are kept beside the texts as they were before they became letters:
    they do not get smaller by being compressed once more, and trying took most of the time of keeping programs.

    >>> unpacked(packed({"price": "{}", "größe": ""}))
    {'price': '{}', 'größe': ''}
    """
    lines: list[bytes] = []
    bodies = [_without_lines(text, lines).encode("utf-8", "surrogatepass") for text in texts.values()]
    head = json.dumps([list(texts), [len(body) for body in bodies], [len(line) for line in lines]]).encode()
    small = zlib.compress(struct.pack("<I", len(head)) + head + b"".join(bodies), 1)
    return b"".join([MAGIC, bytes([VERSION]), struct.pack("<Q", len(small)), small, *lines])


def unpacked(data: bytes) -> dict[str, str]:
    """The texts back; a clear error for bytes that are none, are damaged or come from a later version."""
    if data[:3] != MAGIC or len(data) < 4:
        raise StoreError(_ASKED, f"bytes that do not begin as programs ({data[:8]!r})", _LEARN)
    if data[3] > VERSION:
        raise StoreError(_ASKED, f"format {data[3]}, newer than {VERSION}", "upgrade byhistory")
    try:
        return _first_format(data) if data[3] == _FIRST else _second_format(data)
    except (struct.error, *DAMAGE) as damage:
        raise StoreError(_ASKED, f"damaged bytes ({damage})", _LEARN) from damage


def _second_format(data: bytes) -> dict[str, str]:
    (size,) = struct.unpack_from("<Q", data, 4)
    end = 12 + size
    body = unzipped(data[12:end], MOST_OF_TABLE)
    (size,) = struct.unpack_from("<I", body)
    names, sizes, line_sizes = json.loads(body[4 : 4 + size])
    lines = []
    for length in line_sizes:
        lines.append(base64.b64encode(data[end : end + length]).decode("ascii"))
        end += length
    found = iter(lines)
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


def _without_lines(text: str, lines: list[bytes]) -> str:
    """The text with a mark in place of every packed line, which is put aside."""
    if _MARK in text:
        return text.replace(_MARK, _MARK * 2)
    parts, at = [], 0
    while (found := _PACKED_LINE.search(text, at)) is not None:
        start = found.end()
        end = max(text.find('"', start), start)
        line = _line(text[start:end])
        parts += [text[at:start], text[start:end] if line is None else _MARK]
        lines += [] if line is None else [line]
        at = end
    return "".join([*parts, text[at:]])


def _with_lines(text: str, lines: Iterator[str]) -> str:
    if _MARK * 2 in text:
        return text.replace(_MARK * 2, _MARK)
    first, *rest = text.split(_MARK)
    return "".join([first, *(next(lines) + part for part in rest)])


def _line(text: str) -> bytes | None:
    """The bytes that were written so; None for what is something else, or too short to be worth it."""
    if len(text) < _SHORT:
        return None
    try:
        found = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return found if base64.b64encode(found).decode("ascii") == text else None
