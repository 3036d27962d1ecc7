"""Is a record still what was written?"""

from __future__ import annotations

import hashlib
import json

SIZE = 8
"""Bytes of a checksum: damage by chance goes unseen once in 2**64."""


def checksum(key: bytes, *parts: object, data: object = b"") -> str:
    """16 hexadecimal digits of everything a record says; with the store's key, so that a wrong key is noticed as well.

    Whoever has the key can make a matching one: it tells damage, and forgery only where the key is kept elsewhere.

    >>> checksum(b"key", "run", 1) == checksum(b"key", "run", 1), checksum(b"key", "run", 1) == checksum(b"", "run", 1)
    (True, False)
    >>> checksum(b"key", "a", "b") == checksum(b"key", "ab", "")
    False
    """
    # Where a database was damaged, a text may come back as bytes: it then matches nothing.
    digest = hashlib.blake2b(json.dumps(parts, default=repr).encode(), key=key, digest_size=SIZE)
    digest.update(as_bytes(data))
    return digest.hexdigest()


def as_bytes(data: object) -> bytes:
    """Bytes as a driver gives them; anything else in their place is damage, and becomes bytes that match nothing."""
    return bytes(data) if isinstance(data, bytes | bytearray | memoryview) else repr(data).encode()


def combined(checksums: list[str]) -> str:
    """One for many, in any order: tells whether one is missing, twice there or another.

    >>> combined(["00000000000000ff", "0000000000000f00"]), combined([])
    ('0000000000000fff', '0000000000000000')
    """
    total = 0
    try:
        for one in checksums:
            total ^= int(one, 16)
    except (TypeError, ValueError):  # Damaged: what then comes out matches nothing.
        return "damaged"
    return f"{total:0{2 * SIZE}x}"
