"""What a directory store leaves behind, and what it cleans up."""

import json
import os

import pytest
from tests.golden import history_make as golden

from byhistory.history import directory, journal, open_store


@pytest.fixture
def folder(tmp_path):
    with open_store(f"{tmp_path}/history") as store:
        golden.fill(store)
    return tmp_path / "history"


def names(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_replaced_records_and_programs_leave_no_files(folder):
    before = len(names(folder))
    with open_store(str(folder)) as store:
        for _ in range(3):
            store.record(golden.RUNS[1], golden.PROGRAMS)
            store.save_programs(golden.PROGRAMS)
    kinds = [name for name in names(folder) if "/data/" in name]
    assert len(kinds) == 3, "two runs and the programs"
    assert len(names(folder)) == before + 1, "and one entry for the programs that were kept alone"


def test_what_killed_writers_left_is_ignored_and_cleaned_up_later(folder):
    (table,) = (folder / "tables").iterdir()
    left = [
        folder / ".byhistory.json.abc.tmp",
        table / "log" / ".000000000009-run-00.json.abc.tmp",
        table / "data" / ".00.parquet.abc.tmp",
        table / "data" / "0123456789abcdef.parquet",
    ]
    for path in left:
        path.write_bytes(b"half a fi")
    with open_store(str(folder)) as store:
        assert store.load("orders", ["2026-11-9", "2026-11-15"]) == golden.RUNS
        store.record(golden.RUNS[0])
        assert all(path.exists() for path in left), "somebody may still be writing them"
        for path in left:
            old = path.stat().st_mtime - journal.LEFT_BEHIND - 60
            os.utime(path, (old, old))
        store.record(golden.RUNS[0])
        assert not any(path.exists() for path in left)
        assert store.load("orders", ["2026-11-9", "2026-11-15"]) == golden.RUNS
        assert store.programs("orders") == golden.PROGRAMS


def test_programs_survive_the_run_they_came_with(folder):
    with open_store(str(folder)) as store:
        store.record(golden.RUNS[1])
        assert store.programs("orders") == golden.PROGRAMS
        store.forget("orders", "2026-11-15")
        store.record(golden.RUNS[0])
        assert store.programs("orders") == golden.PROGRAMS


def test_of_two_entries_with_one_number_all_readers_take_the_same(folder):
    with open_store(str(folder)) as one, open_store(str(folder)) as other:
        assert isinstance(one, directory.DirectoryStore)
        assert isinstance(other, directory.DirectoryStore)
        log = one._journal.read("orders")
        for store, note in ((one, "first"), (other, "second")):  # Two writers that saw the same.
            store._journal._put("orders", log, "run", {**log[-5].body, "run": "2026-11-20", "note": note})
    entries = sorted(folder.glob("tables/*/log/*-run-*.json"))[-2:]
    assert entries[0].name[:12] == entries[1].name[:12]
    later = json.loads(entries[1].read_text())["note"]
    for _ in range(2):
        with open_store(str(folder)) as reader:
            assert [line.note for line in reader.runs("orders")] == ["", "n", later]


def test_files_are_closed_to_nobody_and_names_are_short(folder):
    assert all(len(name.rpartition("/")[2]) < 100 for name in names(folder))
    assert "byhistory.json" in names(folder)


def test_a_directory_without_hard_links_still_gets_one_key(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("not on this file system")

    monkeypatch.setattr(os, "link", refuse)
    with open_store(f"{tmp_path}/history") as store, open_store(f"{tmp_path}/history") as other:
        assert store.key() == other.key()
        golden.fill(store)
        assert other.load("orders", ["2026-11-9", "2026-11-15"]) == golden.RUNS
