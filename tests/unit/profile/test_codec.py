"""Stored profiles: read for ever, refused when damaged, small, and silent about the values."""

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import seeded

from byhistory.errors import BadProfile
from byhistory.profile import ColumnProfile, Frequencies, Kind, Numbers, from_bytes, to_bytes
from byhistory.profile.codec import MAGIC, VERSION
from byhistory.rows.field import Options
from byhistory.rows.hashing import hash_strings
from byhistory.rows.local import profile_table

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.mark.parametrize("facts", sorted(GOLDEN.glob("profile-v*.json")), ids=lambda path: path.stem)
def test_every_stored_version_loads_for_ever(facts):
    profile = from_bytes(facts.with_suffix(".bin").read_bytes())
    assert described(profile) == json.loads(facts.read_text())


def described(profile: ColumnProfile) -> dict[str, object]:
    """What a reader would ask of a profile, as plain values."""
    tables = {"values": profile.values, "patterns": profile.patterns}
    if profile.formats is not None:  # those of version 1 have none
        tables["formats"] = profile.formats
    shapes = {"quantiles": profile.quantiles, "lengths": profile.lengths}
    return {
        "kind": str(profile.kind),
        "name": profile.name,
        "rows": profile.rows,
        "nulls": profile.nulls,
        "distinct": profile.distinct,
        "numbers": None if profile.numbers is None else [repr(getattr(profile.numbers, f)) for f in Numbers.__slots__],
        "text": None if profile.text is None else [getattr(profile.text, f) for f in profile.text.__slots__],
        **{
            name: None
            if t is None
            else [t.total, t.level, t.missed, t.ids.tolist(), t.counts.tolist(), _list(t.labels)]
            for name, t in tables.items()
        },
        **{name: None if q is None else [q.error, _list(q.values), _list(q.weights)] for name, q in shapes.items()},
    }


def _list(array: "np.ndarray | None") -> list[object] | None:
    return None if array is None else array.tolist()


PROFILE = to_bytes(profile_table({"c": ["a", "b", None, "é"]})["c"])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"B",
        b"BHP",
        b"PAR1",
        b"SQLite format 3\0",
        PROFILE[:-1],
        PROFILE[:20],
        PROFILE[:4],
        b"BHP\x00" + PROFILE[4:],
    ],
    ids=repr,
)
def test_foreign_and_cut_bytes_are_refused(data):
    with pytest.raises(BadProfile):
        from_bytes(data)


def test_a_later_version_asks_for_an_upgrade():
    with pytest.raises(BadProfile, match="upgrade"):
        from_bytes(MAGIC + bytes([VERSION + 1]) + PROFILE[4:])


@given(st.integers(4, len(PROFILE) - 1), st.integers(1, 255))
def test_a_changed_byte_is_noticed(place, flip):
    damaged = bytearray(PROFILE)
    damaged[place] ^= flip
    with pytest.raises(BadProfile):
        from_bytes(bytes(damaged))


@pytest.mark.parametrize(
    "header",
    [b"", b"{", b"[]", b"{}", b'{"kind":"numeric"}', b'{"numbers":7}'],
)
def test_bytes_that_only_look_like_a_profile_are_refused(header):
    body = struct.pack("<I", len(header)) + header
    with pytest.raises(BadProfile):
        from_bytes(MAGIC + bytes([VERSION]) + zlib.compress(body))


def ordinary_columns(rows: int) -> dict[str, pa.Array]:
    random = seeded(11)
    whole = random.integers(0, 10**9, rows)
    return {
        "id": pa.array(np.arange(rows)),
        "price": pa.array(np.round(random.lognormal(3, 1, rows), 2), mask=random.random(rows) < 0.1),
        "rate": pa.array(random.random(rows)),
        "count": pa.array(random.poisson(3, rows)),
        "score": pa.array(random.standard_cauchy(rows)),
        "country": pa.array(np.array(["DE", "FR", "US"])[random.integers(0, 3, rows)]),
        "zipf": pa.array([f"Brand {k}" for k in random.zipf(1.5, rows).clip(0, 10**6).tolist()]),
        "code": pa.array([f"AB-{k % 10**6:06d}" for k in whole.tolist()]),
        "uuid": pa.array([f"{k:08x}-{j:08x}" for k, j in zip(whole.tolist(), whole[::-1].tolist(), strict=True)]),
        "email": pa.array([f"user{k % 200_000}@mail{k % 17}.example" for k in whole.tolist()]),
        "words": pa.array([f"order {k % 977} of {k % 31}, paid. {'x' * (k % 60)}" for k in whole.tolist()]),
        "flag": pa.array(random.random(rows) < 0.3),
        "at": pa.array(whole * 1000, pa.timestamp("us")),
        "day": pa.array((whole % 3650).astype(np.int32), pa.date32()),
        "blob": pa.array([bytes(k % 7) for k in whole.tolist()]),
        "list": pa.array([[0] * (k % 9) for k in whole.tolist()]),
    }


@pytest.mark.parametrize("rows", [1000, 100_000])
def test_an_ordinary_column_takes_at_most_8_kilobytes(rows):
    profile = profile_table(ordinary_columns(rows))
    sizes = {name: len(to_bytes(profile[name])) for name in profile}
    assert max(sizes.values()) <= 8192, sizes
    assert sum(sizes.values()) / len(sizes) <= 4096, sizes


SECRETS = ["alice@example.com", "bob@example.com", "0049 170 1234567"]


def opened(profile: ColumnProfile) -> bytes:
    """The stored bytes without the compression."""
    return zlib.decompress(to_bytes(profile)[4:])


def test_a_stored_profile_holds_no_value_and_no_hash_that_can_be_made_without_the_key():
    profile = profile_table({"c": SECRETS * 3}, options=Options(key=b"secret"))["c"]
    stored = opened(profile)
    for value in SECRETS:
        raw = np.frombuffer(value.encode(), np.uint8)
        assert value.encode() not in stored
        assert profile.values is not None
        for key in (b"", b"secret"):  # not even the hash that the workers used
            hashed = hash_strings(raw, np.array([0]), np.array([len(raw)]), Options(key).seed)
            assert hashed[0] not in profile.values.ids
            assert hashed.tobytes() not in stored


def test_digests_differ_with_the_key_and_agree_with_the_same():
    def ids(key: bytes) -> set[int]:
        values = profile_table({"c": SECRETS}, options=Options(key=key))["c"].values
        assert values is not None
        return set(values.ids.tolist())

    assert ids(b"one") == ids(b"one")
    assert not ids(b"one") & ids(b"other")
    assert not ids(b"one") & ids(b"")


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (SECRETS, sorted(SECRETS)),
        ([1.5, 2.0, 1.5], ["1.5", "2.0"]),
        ([1, 2, 2**60], ["1", "1152921504606846976", "2"]),
        ([True, True], ["true"]),
    ],
)
def test_plain_values_are_kept_only_where_the_user_asks_for_them(values, labels):
    plain = profile_table({"c": values}, options=Options(keep_values=True))["c"].values
    silent = profile_table({"c": values})["c"].values
    assert plain is not None
    assert plain.labels is not None
    assert sorted(plain.labels.tolist()) == labels
    assert silent is not None
    assert silent.labels is None


def test_profiles_of_different_columns_do_not_add():
    with pytest.raises(ValueError, match="different columns"):
        ColumnProfile(Kind.NUMERIC, "a") + ColumnProfile(Kind.NUMERIC, "b")


def test_a_sealed_table_does_not_add_to_one_in_flight():
    table = Frequencies.of(np.array([1], np.uint64), np.array([1]))
    with pytest.raises(ValueError, match="sealed"):
        table + table.sealed(b"")
