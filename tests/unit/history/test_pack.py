"""Programs are kept as they were."""

import base64
import json
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byhistory.errors import StoreError
from byhistory.history.pack import packed, unpacked

lines = st.binary(max_size=200).map(lambda data: base64.b64encode(data).decode("ascii"))
values = st.one_of(st.text(max_size=90), lines, lines.map(lambda line: line[:-1]), lines.map(lambda line: line + "=="))
entries = st.dictionaries(st.sampled_from(["values", "curves", "note"]), values)
texts = st.one_of(
    entries.map(lambda body: json.dumps(body, ensure_ascii=False)),
    st.lists(st.sampled_from(["\0", '"', '"values": "', '"values": "' + "A" * 64, "x"]), max_size=6).map("".join),
)


@given(st.dictionaries(st.text(max_size=5), texts, max_size=4))
def test_texts_are_read_as_they_were_given(given_texts):
    assert unpacked(packed(given_texts)) == given_texts


@given(st.binary(max_size=20), st.integers(0, 400))
def test_bytes_that_were_cut_or_lengthened_are_a_clear_error(more, cut):
    whole = packed({"n": json.dumps({"values": base64.b64encode(bytes(range(100))).decode()})})
    for other in (whole[: min(cut, len(whole) - 1)], whole + b"x" + more):
        with pytest.raises(StoreError):
            unpacked(other)


def test_packed_numbers_are_not_packed_twice():
    line = base64.b64encode(bytes(range(256)) * 40).decode()
    assert len(packed({"n": json.dumps({"values": line, "curves": line})})) < 256 * 40 * 2 + 150


def test_what_the_first_format_kept_is_read():
    names = {"a": "{}", "b": '"values": "' + "A" * 64 + '"'}
    head = json.dumps([list(names), [len(text) for text in names.values()]]).encode()
    body = struct.pack("<I", len(head)) + head + "".join(names.values()).encode()
    assert unpacked(b"BHT\1" + zlib.compress(body)) == names


def test_a_line_that_many_programs_share_is_kept_once():
    line = base64.b64encode(bytes(range(256)) * 40).decode()
    one = {"a": json.dumps({"curves": line, "weights": line[:4000]})}
    many = dict.fromkeys("abcdefgh", one["a"])
    assert unpacked(packed(many)) == many
    assert len(packed(many)) < len(packed(one)) + 200


def test_what_the_second_format_kept_is_read():
    line = base64.b64encode(bytes(range(100))).decode()
    text = json.dumps({"values": line})
    marked = text.replace(line, "\0")
    head = json.dumps([["a", "b"], [len(marked)] * 2, [100, 100]]).encode()
    small = zlib.compress(struct.pack("<I", len(head)) + head + marked.encode() * 2)
    kept = b"BHT\2" + struct.pack("<Q", len(small)) + small + bytes(range(100)) * 2
    assert unpacked(kept) == {"a": text, "b": text}
