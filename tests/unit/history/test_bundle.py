"""The entries of a directory in one file: derived, never trusted, and gone with what is forgotten."""

import struct
from datetime import datetime, timezone
from pathlib import Path

import pytest

from byhistory.history import Run, open_store
from byhistory.history.bundle import MAGIC, OUTSIDE, from_bytes, is_due, to_bytes
from byhistory.history.checksum import checksum
from byhistory.history.verify import verify

NOW = datetime(2026, 11, 18, tzinfo=timezone.utc)
RUNS = [f"run-{i:02}" for i in range(2 * OUTSIDE)]


def written(folder: Path) -> dict[str, bytes]:
    with open_store(str(folder)) as store:
        for i, run in enumerate(RUNS):
            store.record(Run("orders", run, NOW, "as usual", 10 + i, {"n": b"profile"}, b"measures of " + run.encode()))
    return {run: b"measures of " + run.encode() for run in RUNS}


def read(folder: Path):
    with open_store(str(folder)) as store:
        return [(r.run, r.rows) for r in store.runs("orders")], store.measures("orders"), store.state("orders")


def bundles(folder: Path) -> list[Path]:
    return sorted(folder.glob("tables/*/log/*-bundle-*.bin"))


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("tables/*/log/*-run-*.json"))


def test_many_entries_are_read_from_one_file(tmp_path):
    kept = written(tmp_path)
    before = read(tmp_path)
    assert before[1] == kept
    assert len(bundles(tmp_path)) == 1
    for data in tmp_path.glob("tables/*/data/*.parquet"):
        data.write_bytes(b"nobody reads it")
    for entry in entries(tmp_path)[:OUTSIDE]:
        entry.write_bytes(b"nor this")
    assert read(tmp_path) == before


@pytest.mark.parametrize("change", [lambda _: b"", lambda d: d[:-1], lambda d: d[:40] + bytes([d[40] ^ 1]) + d[41:]])
def test_a_damaged_bundle_is_not_used(tmp_path, change):
    written(tmp_path)
    before, (bundle,) = read(tmp_path), bundles(tmp_path)
    bundle.write_bytes(change(bundle.read_bytes()))
    assert read(tmp_path) == before
    bundle.unlink()
    assert read(tmp_path) == before


def test_verify_looks_at_the_entries_themselves(tmp_path):
    written(tmp_path)
    entry = entries(tmp_path)[0]
    entry.write_bytes(entry.read_bytes().replace(b'"rows": 10', b'"rows": 11'))
    assert read(tmp_path)[0][0] == (RUNS[0], 10)
    with open_store(str(tmp_path)) as store:
        assert any("checksum does not match" in str(problem) for problem in verify(store).problems)


def test_an_entry_that_is_lost_is_lost(tmp_path):
    written(tmp_path)
    entries(tmp_path)[0].unlink()
    with open_store(str(tmp_path)) as store, pytest.raises(Exception, match="was kept and is gone"):
        store.runs("orders")


def test_what_is_forgotten_is_in_no_file(tmp_path):
    written(tmp_path)
    with open_store(str(tmp_path)) as store:
        assert store.forget("orders", RUNS[3])
        assert RUNS[3] not in store.measures("orders")
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and RUNS[3].encode() in p.read_bytes()]


def test_a_bundle_of_what_is_forgotten_meanwhile_does_not_stay(tmp_path):
    written(tmp_path)
    with open_store(str(tmp_path)) as slow, open_store(str(tmp_path)) as other:
        log = slow._journal.read("orders")
        other.forget("orders", RUNS[3])
        slow._journal._bundles.clear()  # as if there had been none
        slow._journal._bundle("orders", log)
    assert not bundles(tmp_path)


def test_a_bundle_of_another_name_or_key_says_nothing(tmp_path):
    written(tmp_path)
    with open_store(str(tmp_path)) as store:
        log = store._journal.read("orders")
    data = to_bytes(b"key", "log/1", log, {log[0].name: b"m"})
    read, measures = from_bytes(b"key", "log/1", data)
    assert len(read) == len(log)
    assert list(measures.values()) == [b"m"]
    assert from_bytes(b"key", "log/2", data) == from_bytes(b"other", "log/1", data) == ({}, {})


@pytest.mark.parametrize(
    "said", ["{}", "[[1]]", '[["x", {}, 1]]', "[" * 100_000, '[["000000000001-run-ab.json", {}, 0]]']
)
def test_a_bundle_that_says_anything_says_nothing(said):
    body = struct.pack("<I", len(said)) + said.encode()
    for part in (body, body[:5], b""):
        data = MAGIC + checksum(b"key", "bundle", "log/1", data=part).encode() + part
        assert from_bytes(b"key", "log/1", data) == ({}, {})


def test_a_bundle_is_written_anew_when_some_entries_are_outside():
    assert not is_due(60, OUTSIDE)
    assert is_due(60, 2 * OUTSIDE)


def test_wide_tables_keep_their_measures_in_files(tmp_path):
    with open_store(str(tmp_path)) as store:
        store.record(Run("wide", "1", NOW, "as usual", 1, {"n": b"p"}, b"m" * 20_000))
        store.record(Run("wide", "2", NOW, "as usual", 1, {"n": b"p"}, b"m"))
    with open_store(str(tmp_path)) as store:
        assert store.measures("wide") == {"1": b"m" * 20_000, "2": b"m"}
    assert max(len(p.read_bytes()) for p in entries(tmp_path)) < 2_000
