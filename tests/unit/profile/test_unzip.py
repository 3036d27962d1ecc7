"""Stored bytes that were made to harm are clear errors."""

import json
import struct
import zlib

import pytest

from byhistory.errors import ByHistoryError
from byhistory.history.pack import unpacked
from byhistory.learners import from_json as program_from_json
from byhistory.metrics import Measures
from byhistory.profile import Kind, from_bytes
from byhistory.profile.unzip import unzipped
from byhistory.verdict.codec import from_json as verdict_from_json

DEEP = b"[" * 200_000
LONG = b"9" * 10_000
BOMB = zlib.compress(bytes(70 << 20))


def packed(head, version=b"BHP\x01"):
    return version + zlib.compress(struct.pack("<I", len(head)) + head)


def array(type_, length):
    state = {"values": [type_, length], "weights": ["<i8", 0], "atoms": ["|b1", 0], "error": 0.0}
    empty = {"numbers": None, "text": None, "lengths": None, "values": None, "patterns": None}
    return json.dumps({"kind": Kind.NUMERIC, "quantiles": state, **empty}).encode()


@pytest.mark.parametrize("head", [DEEP, LONG, b"{}", b"[1e999999]"], ids=["deep", "long", "empty", "large"])
def test_absurd_text_in_stored_bytes_is_a_clear_error(head):
    for read in (
        lambda: from_bytes(packed(head)),
        lambda: unpacked(packed(head, b"BHT\x01")),
        lambda: Measures.from_bytes(zlib.compress(struct.pack("<BI", 1, len(head)) + head)),
        lambda: verdict_from_json(head.decode()),
        lambda: program_from_json(head.decode()),
    ):
        with pytest.raises(ByHistoryError, match="Found: "):
            read()


@pytest.mark.parametrize(
    ("type_", "length"), [("<f8", 1 << 60), ("<f8", -1), ("|O", 1), ("<f8", 10**30), ("|V999999999", 1), ("<M8[s]", 1)]
)
def test_an_array_that_cannot_be_there_is_a_clear_error(type_, length):
    with pytest.raises(ByHistoryError, match="damaged bytes"):
        from_bytes(packed(array(type_, length)))


def test_what_would_fill_the_memory_is_not_unpacked():
    assert len(BOMB) < 100_000
    with pytest.raises(ByHistoryError, match="more than 67,108,864 bytes"):
        from_bytes(b"BHP\x01" + BOMB)
    with pytest.raises(zlib.error, match="too early"):
        unzipped(zlib.compress(b"abc")[:-1])
