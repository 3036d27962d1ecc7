"""A file of another program, or a damaged one, gets a clear error and is left alone."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.golden import history_make as golden

from byhistory.errors import StoreError
from byhistory.history import open_store, parquet, sqlite
from byhistory.history.pack import packed, unpacked


def tree(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return {str(p): p.read_bytes() for p in files}


@pytest.fixture
def refused(tmp_path):
    """Assert that opening (and reading) is refused in these words, and that every byte in the folder stays."""

    def check(url, found, read=False):
        before = tree(tmp_path)
        # The damage may show on opening or on reading.
        with pytest.raises(StoreError, match=found) as caught, open_store(str(url)) as store:  # noqa: PT012
            if read:
                store.load("orders", [line.run for line in store.runs("orders")])
        assert tree(tmp_path) == before
        assert all((caught.value.asked, caught.value.found, caught.value.todo))

    return check


def filled(path: Path) -> Path:
    with open_store(str(path)) as store:
        golden.fill(store)
    return path


def test_a_text_file(tmp_path, refused):
    (tmp_path / "notes.db").write_text("SQLite format 3 is what I wanted to write about")
    refused(
        tmp_path / "notes.db", "Found: a file that is no SQLite database. To go on: give another path; this file was"
    )


def test_a_pipe_is_not_waited_for(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe.db")
    refused(tmp_path / "pipe.db", "Found: something that is no file")


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_database_of_another_program(tmp_path, refused, journal):
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as db:
        db.execute(f"PRAGMA journal_mode = {journal}")
        db.execute("CREATE TABLE byhistory_store (x)")
        db.commit()
    refused(f"sqlite:///{tmp_path}/theirs.db", "Found: a SQLite database of another program")


def test_a_directory_or_a_missing_one(tmp_path, refused):
    (tmp_path / "a.db").mkdir()
    refused(tmp_path / "a.db", "Found: a directory. To go on: name a file in it")
    refused(tmp_path / "none" / "a.db", "Found: no directory .*none. To go on: make it")


def test_a_cut_off_database(tmp_path, refused):
    path = filled(tmp_path / "history.db")
    path.write_bytes(path.read_bytes()[:6000])
    refused(path, r"Found: a damaged file \(.*To go on: restore it from a copy; it was left as it is")


def test_a_database_with_overwritten_pages(tmp_path, refused):
    path = filled(tmp_path / "history.db")
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    refused(path, r"Found: a damaged file \(")


def test_a_database_whose_store_table_is_not_ours(tmp_path):
    path = filled(tmp_path / "history.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE byhistory_store ADD COLUMN more")
        db.commit()
    with pytest.raises(StoreError, match="a table byhistory_store that is not ours"):
        open_store(str(path))


def test_a_later_version_asks_for_an_upgrade(tmp_path, refused):
    path = filled(tmp_path / "history.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE byhistory_store SET value = '3' WHERE name = 'version'")
        db.commit()
    refused(path, "Found: tables of version 3, newer than 2. To go on: upgrade byhistory")
    folder = filled(tmp_path / "history")
    mark = folder / "byhistory.json"
    mark.write_text(json.dumps(json.loads(mark.read_text()) | {"byhistory_store": 3}))
    refused(folder, "Found: version 3, newer than 2. To go on: upgrade byhistory")


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "new.db").touch()
    filled(tmp_path / "new.db")
    assert (tmp_path / "new.db").stat().st_size > 0
    with open_store(f"{tmp_path}/new.db") as again:
        assert again.key()


def test_a_directory_of_something_else(tmp_path, refused):
    lake = tmp_path / "lake"
    (lake / "ds=2026-11-15").mkdir(parents=True)
    (lake / "_SUCCESS").touch()
    refused(lake, "Found: a directory of something else, with _SUCCESS, ds=2026-11-15 in it. To go on: give a new or")
    refused(lake / "_SUCCESS", "Found: a file, not a directory")
    refused(f"file://{lake}", "Found: a directory of something else")


def test_a_mark_that_is_not_ours(tmp_path, refused):
    (tmp_path / "byhistory.json").write_text('{"theme": "dark"}')
    refused(tmp_path, "Found: byhistory.json, which is not ours or damaged")


def test_damaged_files_in_a_directory(tmp_path, refused):
    folder = filled(tmp_path / "history")
    (data,) = [p for p in folder.glob("tables/*/data/*.parquet") if b"\xff" * 99 in p.read_bytes()]
    whole = data.read_bytes()
    data.write_bytes(whole[: len(whole) // 2])
    refused(folder, r"Found: a damaged file \(", read=True)
    data.unlink()
    refused(folder, r"Found: a missing file \(.*To go on: restore it, or record that run again", read=True)
    data.write_bytes(whole)
    entry = sorted(folder.glob("tables/*/log/*-run-*.json"))[0]
    said = entry.read_text()
    entry.write_text(said[:40])
    refused(folder, "Found: damaged bytes in tables/.*-run-", read=True)
    entry.write_text(said.replace('"byhistory_entry": 2', '"byhistory_entry": 3'))
    refused(folder, "of version 3, newer than 2. To go on: upgrade", read=True)
    entry.write_text(said)
    with open_store(str(folder)) as store:
        assert store.load("orders", ["2026-11-9", "2026-11-15"]) == golden.RUNS


def test_a_file_that_would_fill_the_memory_is_refused_unread(tmp_path, refused, monkeypatch):
    folder = filled(tmp_path / "history")
    (data,) = [p for p in folder.glob("tables/*/data/*.parquet") if b"\xff" * 99 in p.read_bytes()]
    schema = parquet._RUN.with_metadata({"byhistory_run": "2"})

    def bomb(verdicts, **how):
        many = len(verdicts)
        columns = [[None] * many, [None] * many, [b""] * many, verdicts, ["sum"] * many]
        pq.write_table(pa.table(columns, schema=schema), data, compression="ZSTD", **how)

    bomb(["a" * 100_000] * 200, use_dictionary=["verdict"])  # Each of 200 is the same long one.
    refused(folder, r"Found: a damaged file \(.*: 200 rows, .*_DICTIONARY\)", read=True)
    assert data.stat().st_size < 3_000
    monkeypatch.setattr(parquet, "_MOST_PACKED", 1_000_000)
    bomb(["a" * 2_000_000], use_dictionary=False)
    refused(folder, r"Found: a damaged file \(.*: 1 rows, 2,000,\d+ bytes, unpacked\)", read=True)


def test_addresses_that_name_no_store(tmp_path):
    for url in ("", "mysql://host/db", "jdbc:postgresql://host/db"):
        with pytest.raises(
            StoreError, match=r"Found: no kind of store that is known\. To go on: give one of memory:; "
        ):
            open_store(url)
    with pytest.raises(StoreError, match=r"Found: no file system that reaches it \(.*install fsspec"):
        open_store("nosuchscheme://bucket/history")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "bytes that do not begin as programs"),
        (b"BHT", "bytes that do not begin as programs"),
        (b"BHP\1abc", "bytes that do not begin as programs"),
        (b"BHT\4abc", "format 4, newer than 3. To go on: upgrade byhistory"),
        (b"BHT\0abc", "damaged bytes"),
        (b"BHT\1abc", "damaged bytes"),
        (b"BHT\2abc", "damaged bytes"),
        (b"BHT\3abc", "damaged bytes"),
        (packed({"a": "b"})[:-3], "damaged bytes"),
    ],
)
def test_programs_that_cannot_be_read(data, found):
    with pytest.raises(StoreError, match=found):
        unpacked(data)


def test_a_store_that_another_process_makes_between_two_looks_is_opened(tmp_path, monkeypatch):
    path, is_new, keys = tmp_path / "history.db", sqlite._is_new, []

    def slowly(asked, at):
        if at.exists() and not keys:  # the file is there and was empty: now the other one comes first
            keys.append(b"")
            with open_store(str(path)) as other:
                keys.append(other.key())
        return is_new(asked, at)

    monkeypatch.setattr(sqlite, "_is_new", slowly)
    with open_store(str(path)) as store:
        assert store.key() == keys[1]
