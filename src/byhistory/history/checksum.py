"""Is a record still what was written?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted

SIZE = 8
"""Bytes of a checksum: damage by chance goes unseen once in 2**64."""


def checksum(key: bytes, *parts: object, data: object = b"") -> str:
    """16 hexadecimal digits of all that a record says, with the store's key, so that a wrong key is noticed as well.

    Whoever has the key can make a matching one: it detects damage, and forgery only if the key is kept elsewhere.

    >>> checksum(b"key", "run", 1) == checksum(b"key", "run", 1), checksum(b"key", "run", 1) == checksum(b"", "run", 1)
    (True, False)
    >>> checksum(b"key", "a", "b") == checksum(b"key", "ab", "")
    False
    """
    digest = _keyed(key).copy()
    digest.update(_as_json(parts).encode())
    if data:
        digest.update(as_bytes(data))
    return digest.hexdigest()


@lru_cache(16)
def _keyed(key: bytes) -> hashlib.blake2b:
    return hashlib.blake2b(key=key, digest_size=SIZE)


def _as_json(parts: Iterable[object]) -> str:
    r"""What `json.dumps` writes for a list, in a third of the time: every line of a list of runs is checked.

    If a database was damaged, a text may come back as bytes: it then matches nothing.

    >>> print(_as_json(["ü", 1, None, b"x"]))
    ["\u00fc", 1, null, "b'x'"]
    """
    return f"[{', '.join([_quoted(p) if type(p) is str else _plain(p) for p in parts])}]"


def _plain(part: object) -> str:
    return str(part) if type(part) is int else json.dumps(part, default=repr)


def as_bytes(data: object) -> bytes:
    """Bytes in any form that a driver gives; anything else is damage, and becomes bytes that match nothing."""
    return bytes(data) if isinstance(data, bytes | bytearray | memoryview) else repr(data).encode()


def combined(checksums: list[str]) -> str:
    """One checksum for many, in any order: it tells whether one is missing, repeated or changed.

    >>> combined(["00000000000000ff", "0000000000000f00"]), combined([])
    ('0000000000000fff', '0000000000000000')
    """
    total = 0
    try:
        for one in checksums:
            total ^= int(one, 16)
    except (TypeError, ValueError):  # Damaged: the result matches nothing.
        return "damaged"
    return f"{total:0{2 * SIZE}x}"
