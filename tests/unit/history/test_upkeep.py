"""Verify, back up, read where nothing may be written."""

import shutil
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace

import pytest
from tests.golden import guard_make, history_make
from tests.shell import byhistory as run

from byhistory.errors import StoreError
from byhistory.history import TableLine, open_store
from byhistory.history.backup import backup
from byhistory.history.verify import verify

FOLDER = guard_make.__file__.removesuffix("guard_make.py")


@pytest.fixture(params=["guard-v1.db", "guard-v1"])
def url(request, tmp_path):
    here = tmp_path / request.param
    (shutil.copy if request.param.endswith(".db") else shutil.copytree)(FOLDER + request.param, here)
    open_store(str(here)).close()  # Brings it up to date.
    return str(here)


def test_a_sound_store_is_sound_and_so_is_its_copy(url, tmp_path):
    to = f"{tmp_path}/copy{'.db' * url.endswith('.db')}"
    with open_store(url) as store:
        found = verify(store)
        assert (found.tables, found.runs, found.profiles, found.decisions, found.problems) == (1, 15, 30, 2, ())
        backup(url, to)  # While it is open.
        with open_store(to) as copy:
            assert verify(copy) == found
            assert copy.key() == store.key()
            assert copy.runs("orders") == store.runs("orders")
            assert copy.programs("orders") == store.programs("orders")
    with pytest.raises(StoreError, match="there already"):
        backup(url, to)


def test_the_command_says_what_is_sound_and_what_is_not(url):
    assert run("verify", "--store", url).last.startswith("sound: 1 table, 15 runs, 30 profiles, 2 decisions, 1 setting")
    if url.endswith(".db"):
        with closing(sqlite3.connect(url)) as db:
            db.execute("UPDATE byhistory_profile SET profile = x'00' WHERE id IN (3, 9)")
            db.commit()
        answer = run("verify", "--store", url)
        assert answer.code == 1
        assert answer.out.count("damaged: ") == 2
        assert "the profile of the column" in answer.out
        assert "sound are 1 table, 13 runs" in answer.last


def test_the_command_copies_and_verifies(url, tmp_path):
    answer = run("backup", f"{tmp_path}/to/copy", "--store", url)
    if url.endswith(".db"):
        assert answer.code == 2, "no such directory"
        answer = run("backup", f"{tmp_path}/copy.db", "--store", url)
    assert (answer.code, answer.last.partition(": ")[2]) == (0, "1 table and 15 runs are sound")


@pytest.mark.parametrize("name", ["copy", "copy.db", "postgresql://host/db", "memory:", ""])
def test_a_copy_has_a_name_by_which_it_is_opened_or_is_not_made(url, tmp_path, name):
    (here := tmp_path / "here").mkdir()
    to = name if ":" in name or not name else str(here / name)
    if to.endswith(".db") == url.endswith(".db") and here.name in to:
        backup(url, to)
        return
    with pytest.raises(StoreError, match="looked for"):
        backup(url, to)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("name", ["a b", "a%20b", "what?", "a#b", "new\nline", "ü😀"])
def test_a_store_is_copied_whatever_its_path_looks_like(url, tmp_path, name):
    end = ".db" * url.endswith(".db")
    shutil.move(url, tmp_path / f"{name}{end}")
    backup(f"{tmp_path}/{name}{end}", f"{tmp_path}/copy {name}{end}")
    answer = run("verify", "--store", f"{tmp_path}/copy {name}{end}")
    assert answer.code == 0
    assert "1 table, 15 runs" in answer.last
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([f"copy {name}{end}", f"{name}{end}"])


def test_a_copy_that_was_broken_off_or_that_fails_is_in_nobodys_way(url, tmp_path, monkeypatch):
    if not url.endswith(".db"):
        pytest.skip("a directory is copied to a new directory")
    (tmp_path / ".copy.db.tmp").write_bytes(b"half")  # As by one of an earlier release that was killed.
    monkeypatch.setattr("os.link", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        backup(url, f"{tmp_path}/copy.db")
    monkeypatch.undo()
    assert sorted(p.name for p in tmp_path.iterdir()) == [".copy.db.tmp", "guard-v1.db"]
    backup(url, f"{tmp_path}/copy.db")
    with pytest.raises(StoreError, match="there already"):
        backup(url, f"{tmp_path}/copy.db")


def test_pruning_spares_the_runs_that_the_next_one_is_judged_by(url, tmp_path):
    assert "forgot 0 runs" in run("prune", "orders", "--keep", "10", "--store", url).last
    (tmp_path / "byhistory.toml").write_text("[tables.orders]\nwindow = 8\nlearner = 'paper'\nkeep = 10\n")
    config = ("--config", f"{tmp_path}/byhistory.toml")
    answer = run("prune", "orders", "--store", url, *config)
    assert answer.last == "orders: forgot 5 runs (10 profiles), 10 are left"
    assert run("prune", "orders", "--store", url).code == 2, "nothing says how much to keep"
    for nothing in (("--keep", "-1"), ("--keep", "0"), ("--days", "-7"), ("--days", "9" * 12)):
        assert run("prune", "orders", *nothing, "--store", url).code == 2
    assert run("verify", "--store", url).code == 0


def test_a_store_that_may_not_be_written_is_read(url):
    if not url.endswith(".db"):
        pytest.skip("a directory is read without writing anything")
    with open_store(url) as store:
        lines = store.runs("orders")
    with open_store(f"sqlite:///{url}?mode=ro") as store:
        assert store.runs("orders") == lines
        assert verify(store).problems == ()
        with pytest.raises(StoreError, match="no right to write"):
            store.record(replace(history_make.RUNS[0], table="orders"))


def test_a_store_that_may_not_be_written_and_sorts_as_an_earlier_release_did_is_read(url):
    if not url.endswith(".db"):
        pytest.skip("a directory is sorted when it is read")
    with open_store(url) as store:
        lines = store.runs("orders")
    with closing(sqlite3.connect(url)) as db, db:
        db.execute("UPDATE byhistory_store SET value = '2' WHERE name = 'order'")
    with open_store(f"sqlite:///{url}?mode=ro") as store:
        assert store.runs("orders") == lines


def test_new_files_are_for_their_owner_only(tmp_path):
    for name in ("history.db", "history"):
        with open_store(f"{tmp_path}/{name}") as store:
            history_make.fill(store)
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(files) > 5
    assert {stat.S_IMODE(p.stat().st_mode) for p in files} == {0o600}


def test_a_write_that_fails_leaves_no_file(tmp_path, monkeypatch):
    def full(_descriptor):
        raise OSError(28, "No space left on device")

    with open_store(f"{tmp_path}/history") as store:
        before = sorted(tmp_path.rglob("*.*"))
        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            store.record(history_make.RUNS[0])
        assert sorted(tmp_path.rglob("*.*")) == before


@pytest.mark.parametrize("address", ["memory:", "sqlite"])
def test_the_overview_has_both_ends_of_every_table(address, tmp_path):
    with open_store(address if address == "memory:" else f"{tmp_path}/history.db") as store:
        for table in ("b", "a"):
            for run_ in history_make.RUNS:
                store.record(replace(run_, table=table))
        ends = ("2026-11-9", "2026-11-15", "unusual")
        assert store.overview() == [TableLine("a", 2, *ends), TableLine("b", 2, *ends)]
        store.forget("a", "2026-11-9")
        assert store.overview()[0] == TableLine("a", 1, "2026-11-15", *ends[1:])
