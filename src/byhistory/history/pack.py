"""The programs of all columns of a table as one value: versioned, compressed."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping

from byhistory.errors import StoreError
from byhistory.profile.unzip import DAMAGE, MOST_OF_TABLE, unzipped

MAGIC = b"BHT"
VERSION = 1
_ASKED = "read the programs that were kept"
_LEARN = "learn again: the runs they were learned from are kept beside them"


def packed(texts: Mapping[str, str]) -> bytes:
    """Texts by name as bytes.

    >>> unpacked(packed({"price": "{}", "größe": ""}))
    {'price': '{}', 'größe': ''}
    """
    bodies = [text.encode("utf-8", "surrogatepass") for text in texts.values()]
    head = json.dumps([list(texts), [len(body) for body in bodies]]).encode()
    return MAGIC + bytes([VERSION]) + zlib.compress(struct.pack("<I", len(head)) + head + b"".join(bodies), 1)


def unpacked(data: bytes) -> dict[str, str]:
    """The texts back; a clear error for bytes that are none, are damaged or come from a later version."""
    if data[:3] != MAGIC or len(data) < 4:
        raise StoreError(_ASKED, f"bytes that do not begin as programs ({data[:8]!r})", _LEARN)
    if data[3] != VERSION:
        raise StoreError(_ASKED, f"format {data[3]}, newer than {VERSION}", "upgrade byhistory")
    try:
        body = unzipped(data[4:], MOST_OF_TABLE)
        (size,) = struct.unpack_from("<I", body)
        names, sizes = json.loads(body[4 : 4 + size])
        texts, start = {}, 4 + size
        for name, length in zip(names, sizes, strict=True):
            texts[name] = body[start : start + length].decode("utf-8", "surrogatepass")
            start += length
    except (struct.error, *DAMAGE) as damage:
        raise StoreError(_ASKED, f"damaged bytes ({damage})", _LEARN) from damage
    if start != len(body):
        raise StoreError(_ASKED, f"{len(body)} bytes where {start} were announced", _LEARN)
    return texts
