"""Bytes that were compressed, and may have been made to fill the memory."""

from __future__ import annotations

import zlib

MOST = 64 << 20
"""Bytes of one column, unpacked: a profile has about ten thousand, or a million where long plain values are kept."""
MOST_OF_TABLE = 1 << 30
"""Bytes of all columns of a table: 10,000 programs have some 60 million."""
DAMAGE = (zlib.error, ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError)
"""What reading stored bytes may raise if they are damaged, or were made to harm: deep nesting, absurd numbers."""


def unzipped(data: bytes | bytearray, most: int = MOST) -> bytes:
    """What `zlib.compress` was given; a ValueError for more than `most` bytes, before they are made.

    >>> unzipped(zlib.compress(b"abc"))
    b'abc'
    >>> unzipped(zlib.compress(bytes(1000)), 999)
    Traceback (most recent call last):
    ValueError: more than 999 bytes, unpacked
    """
    machine = zlib.decompressobj()
    found = machine.decompress(data, most + 1)
    if len(found) > most:
        raise ValueError(f"more than {most:,} bytes, unpacked")
    if not machine.eof:
        raise zlib.error("the bytes end too early")
    return found
