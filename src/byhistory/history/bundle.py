"""Many entries of a log in one file, so that a reader need not ask for each: that would be sixty requests to S3.

A bundle is derived: it says nothing that the entries do not say, which stay where they are. One that is damaged, lost
or of a later version is not used, and an entry that is no longer listed is not taken from it. It is written again when
many entries are not in it, and removed when something is forgotten.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from byhistory.history.checksum import checksum
from byhistory.history.log import Entry, entry_of
from byhistory.profile.unzip import DAMAGE

MAGIC = b"BHE\1"
OUTSIDE, PART = 8, 32
"""How many entries may be outside of a bundle before it is written again, and one more for this many of all: a choice
between many requests and writing the same again and again."""
WITH_MEASURES = 120
"""How many of the last runs have their measures in it: twice as many as a check reads, unless a season is longer."""
_NAME = re.compile(r"[0-9]{12,}-bundle-[0-9a-f]+\.bin")
_SUM = 16
"""Characters of the checksum."""


def is_bundle(name: str) -> bool:
    """Whether a file in a log is a bundle, by its name."""
    return _NAME.fullmatch(name.rpartition("/")[2]) is not None


def is_due(entries: int, outside: int) -> bool:
    """Whether to write a bundle of all entries, if this many of them are outside of one."""
    return outside > OUTSIDE + entries // PART


def to_bytes(key: bytes, name: str, entries: Sequence[Entry], measures: Mapping[str, bytes]) -> bytes:
    """A bundle of entries that we have read or written, with the measures of the last runs among them."""
    late = {e.name for e in [e for e in entries if e.name in measures][-WITH_MEASURES:]}
    parts = [measures[e.name] if e.name in late else b"" for e in entries]
    head = json.dumps(
        [[e.name.rpartition("/")[2], e.body, len(p)] for e, p in zip(entries, parts, strict=True)]
    ).encode()
    body = b"".join([struct.pack("<I", len(head)), head, *parts])
    return MAGIC + checksum(key, "bundle", name, data=body).encode() + body


def from_bytes(key: bytes, name: str, data: bytes) -> tuple[dict[str, Entry], dict[str, bytes]]:
    """Entries and measures, by the names of the entries; nothing if it is damaged or of a later version."""
    body = data[len(MAGIC) + _SUM :]
    if data[: len(MAGIC) + _SUM] != MAGIC + checksum(key, "bundle", name, data=body).encode():
        return {}, {}
    try:
        return _parted(name.rpartition("/")[0], body)
    except (struct.error, *DAMAGE):  # Written by somebody who has the key, or by a later version.
        return {}, {}


def _parted(folder: str, body: bytes) -> tuple[dict[str, Entry], dict[str, bytes]]:
    (size,) = struct.unpack_from("<I", body)
    at = 4 + size
    entries: dict[str, Entry] = {}
    measures: dict[str, bytes] = {}
    listed: list[tuple[str, dict[str, Any], int]] = json.loads(body[4:at])
    for last, fields, length in listed:
        entry = entry_of(f"{folder}/{last}", fields)
        entries[entry.name] = entry
        if length:
            measures[entry.name] = body[at : at + length]
        at += length
    return entries, measures
