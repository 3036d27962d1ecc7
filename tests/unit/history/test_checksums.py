"""A record that is not what was written is named and never used."""

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden import history_make as golden

from byhistory.errors import StoreError
from byhistory.history import Run, open_store
from byhistory.history.checksum import _as_json
from byhistory.history.verify import verify

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)


def filled(path):
    with open_store(str(path)) as store:
        golden.fill(store)
    return path


def read_all(path):
    """Everything that a check may read."""
    with open_store(str(path)) as store:
        labels = [line.run for line in store.runs("orders")]
        return (
            store.tables(),
            store.runs("orders", last=1),
            store.load("orders", labels),
            store.measures("orders"),
            store.decisions("orders"),
            store.setting_changes("orders"),
        )


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("sound") / "history.db")


RUN = "byhistory_run SET {} WHERE run = '2026-11-15'"
CHANGES = {
    "a label": RUN.format("run = '2026-11-16'"),
    "an outcome": RUN.format("outcome = 'as usual'"),
    "a time": RUN.format("at = '2026-11-15T03:12:05.123457+00:00'"),
    "rows": RUN.format("row_count = 13"),
    "a note": RUN.format("note = 'm'"),
    "a digest": RUN.format("digest = 'x'"),
    "scores": RUN.format("scores = '{}'"),
    "causes": RUN.format("causes = '{}'"),
    "the order": RUN.format("sort_key = x'01'"),
    "a table": RUN.format("table_name = 'others'"),
    "a verdict": """byhistory_body SET verdict = '{"ok": true}' WHERE verdict <> ''""",
    "measures": "byhistory_body SET measures = x'00' WHERE measures = x'6d'",
    "a profile": "byhistory_profile SET profile = x'00' WHERE name = 'id'",
    "a column": "byhistory_profile SET name = 'ie' WHERE name = 'id'",
    "a position": "byhistory_profile SET position = 7 WHERE name = 'id'",
    "a decision": "byhistory_decision SET what = 'accept' WHERE what = 'reject'",
    "who decided": "byhistory_decision SET who = 'bo' WHERE who = 'bob'",
    "the order of decisions": "byhistory_decision SET number = 99 WHERE what = 'reject'",
    "a setting": "byhistory_setting SET text = '{}' WHERE text <> '{}'",
    "the order of settings": "byhistory_setting SET number = 99 WHERE text = '{}'",
    "the key": "byhistory_store SET value = iif(value LIKE 'a%', 'b', 'a') || substr(value, 2) WHERE name = 'key'",
    "the type of a label": RUN.format("run = x'31'"),
    "the type of the order": RUN.format("sort_key = 99999999999"),
    "the type of a profile": "byhistory_profile SET profile = 9999999999999 WHERE name = 'id'",
    "the type of a checksum": RUN.format("checksum = x'00'"),
    "a count": "byhistory_table SET runs = 1",
}
LOST = ("byhistory_run", "byhistory_body", "byhistory_profile", "byhistory_decision", "byhistory_setting")


def changed(sound, tmp_path, statement):
    path = tmp_path / "history.db"
    shutil.copy(sound, path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(statement).rowcount >= 1
        db.commit()
    return path


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_record_is_an_error_that_names_it(sound, tmp_path, what):
    path = changed(sound, tmp_path, f"UPDATE {CHANGES[what]}")
    with pytest.raises(StoreError, match="checksum does not match") as caught:
        read_all(path)
    assert what == "the key" or "'orders'" in caught.value.asked


@pytest.mark.parametrize("table", LOST)
def test_a_lost_record_is_an_error(sound, tmp_path, table):
    newest = f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})"  # noqa: S608 - a test's own names
    with pytest.raises(StoreError, match="'orders'"):
        read_all(changed(sound, tmp_path, newest))


INDEXES = {
    "sqlite_autoindex_byhistory_run_1": lambda store: store.load("orders", ["2026-11-15"]),
    "byhistory_run_in_order": lambda store: store.runs("orders", last=1),
    "sqlite_autoindex_byhistory_profile_1": lambda store: store.load("orders", ["2026-11-15"], ["id"]),
    "sqlite_autoindex_byhistory_table_1": lambda store: store.runs("orders"),
    "byhistory_decision_of": lambda store: store.decisions("orders"),
    "byhistory_setting_of": lambda store: store.settings("orders"),
}


@pytest.mark.parametrize("index", INDEXES)
def test_what_an_index_has_lost_is_an_error_and_not_missing(sound, tmp_path, index):
    path = tmp_path / "history.db"
    shutil.copy(sound, path)
    with closing(sqlite3.connect(path)) as db:
        page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (index,)).fetchone()[0]
        size = db.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    data[(page - 1) * size + 3 : (page - 1) * size + 5] = b"\0\0"  # No cells in it, says its page.
    path.write_bytes(data)
    with open_store(str(path)) as store:
        with pytest.raises(StoreError, match="'orders'"):
            INDEXES[index](store)
        assert any("index" in str(problem) for problem in verify(store).problems)


def test_a_label_whose_index_points_at_another_run_is_an_error(tmp_path):
    path = tmp_path / "history.db"
    with open_store(str(path)) as store:
        for day in (1, 2, 3):
            store.record(Run("orders", f"2026-11-0{day}", AT, "as usual", day, {}, b"measures of %d" % day))
    data = path.read_bytes()
    second, third = b"orders2026-11-02\x02", b"orders2026-11-02\x03"  # an entry of the index ends with its row
    assert data.count(second) == 1
    path.write_bytes(data.replace(second, third))
    with open_store(str(path)) as store:
        for work in (lambda: store.measures("orders", ["2026-11-02"]), lambda: store.load("orders", ["2026-11-02"])):
            with pytest.raises(StoreError, match="2026-11-02"):
                work()


def test_a_run_that_its_index_has_lost_is_not_recorded_twice(sound, tmp_path):
    path = tmp_path / "history.db"
    shutil.copy(sound, path)
    data = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        index = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_byhistory_run_1'"
        start = (db.execute(index).fetchone()[0] - 1) * db.execute("PRAGMA page_size").fetchone()[0]
    data[start + 3 : start + 5] = b"\0\0"
    path.write_bytes(data)
    with open_store(str(path)) as store:
        for work in (
            lambda: store.record(golden.RUNS[0]),
            lambda: store.measures("orders", ["2026-11-15"]),
            lambda: store.decide(golden.DECISIONS[0]),
            lambda: store.forget("orders", "2026-11-15"),
        ):
            with pytest.raises(StoreError, match="which its index has lost"):
                work()


def test_a_run_that_was_damaged_is_recorded_anew_or_forgotten(sound, tmp_path):
    for statement in (f"UPDATE {CHANGES['a note']}", f"UPDATE {RUN.format('checksum = 0')}"):
        path = changed(sound, tmp_path, statement)
        with open_store(str(path)) as store:
            store.record(golden.RUNS[1])
            assert store.load("orders", ["2026-11-9", "2026-11-15"]) == golden.RUNS
        read_all(path)
        path = changed(sound, tmp_path, statement)
        with open_store(str(path)) as store:
            assert store.forget("orders", "2026-11-15") is True
            assert [line.run for line in store.runs("orders")] == ["2026-11-9"]
        read_all(path)


@pytest.mark.parametrize("column", ["programs", "as_of_run", "at", "learned_from", "checksum"])
def test_damaged_programs_are_none(sound, tmp_path, column):
    statement = f"UPDATE byhistory_programs SET {column} = x'42485401ff'"  # noqa: S608 - a test's own names
    path = changed(sound, tmp_path, statement)
    with open_store(str(path)) as store:
        assert store.programs("orders") is None
        store.save_programs(golden.PROGRAMS)
        assert store.programs("orders") == golden.PROGRAMS


def test_a_store_that_was_sorted_by_an_earlier_release_is_sorted_again(sound, tmp_path):
    path = changed(sound, tmp_path, "DELETE FROM byhistory_store WHERE name = 'order'")
    before = read_all(sound)
    with closing(sqlite3.connect(path)) as db:
        kept = db.execute("SELECT sort_key, checksum FROM byhistory_run ORDER BY id").fetchall()
    assert read_all(path) == before
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT sort_key, checksum FROM byhistory_run ORDER BY id").fetchall() == kept
        assert db.execute("SELECT value FROM byhistory_store WHERE name = 'order'").fetchone() is not None


def test_a_file_with_our_mark_and_without_tables_is_no_new_store(tmp_path):
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA application_id = {0x42794869}")
        db.execute("CREATE TABLE x (y)")
        db.execute("DROP TABLE x")
    with pytest.raises(StoreError, match="a store without its tables: a torn copy, or damaged"):
        open_store(str(path))


def test_the_main_file_alone_has_what_was_recorded(tmp_path):
    path = tmp_path / "history.db"
    with open_store(str(path)) as store:
        golden.fill(store)
        shutil.copy(path, tmp_path / "copy.db")  # While the first is open, and without its -wal.
    with open_store(str(tmp_path / "copy.db")) as copy:
        assert copy.load("orders", ["2026-11-9", "2026-11-15"]) == golden.RUNS
        assert copy.decisions("orders") == golden.DECISIONS


@pytest.fixture
def folder(tmp_path):
    return filled(tmp_path / "history")


def entry(folder, kind):
    return sorted(folder.glob(f"tables/*/log/*-{kind}-*.json"))[-1]


@pytest.mark.parametrize("kind", ["run", "decision", "setting"])
def test_a_changed_entry_is_an_error_that_names_it(folder, kind):
    path = entry(folder, kind)
    body = json.loads(path.read_text())
    for name in body:
        if name in ("byhistory_entry", "checksum"):
            continue
        other = body[name] + 1 if isinstance(body[name], int) else f"{body[name]}x"
        path.write_text(json.dumps({**body, name: other}))
        with pytest.raises(StoreError, match=f"damaged bytes|checksum does not match .*{path.name}"):
            read_all(folder)
    path.write_text(json.dumps(body))
    read_all(folder)
    moved = path.with_name("000000000099" + path.name[12:])
    path.rename(moved)
    with pytest.raises(StoreError, match="checksum does not match"):
        read_all(folder)


def test_an_entry_that_says_it_is_of_version_1_does_not_escape_its_checksum(folder):
    path = entry(folder, "run")
    said = path.read_text().replace('"byhistory_entry": 2', '"byhistory_entry": 1')
    path.write_text(said.replace('"rows": 12', '"rows": 13'))
    with pytest.raises(StoreError, match="checksum does not match"):
        read_all(folder)
    path.write_text(path.read_text().replace('"checksum"', '"cheaksum"').replace(": 1", ": 2"))
    with pytest.raises(StoreError, match="damaged bytes"):
        read_all(folder)


def test_a_changed_key_or_name_of_a_directory_is_an_error(folder):
    mark = folder / "byhistory.json"
    said = mark.read_text()
    body = json.loads(said)
    mark.write_text(json.dumps({**body, "key": body["key"][::-1]}))
    with pytest.raises(StoreError, match="a key whose checksum does not match"):
        open_store(str(folder))
    mark.write_text(said)
    (table,) = folder.glob("tables/*/table.json")
    table.write_text(table.read_text().replace("orders", "orderz"))
    with pytest.raises(StoreError, match="a name that is not that of its folder"):
        read_all(folder)


def test_forgetting_deletes_nothing_outside_whatever_an_entry_of_version_1_says(tmp_path):
    folder = tmp_path / "history"
    shutil.copytree(golden.__file__.removesuffix("history_make.py") + "history-v1", folder)
    precious = tmp_path / "precious.parquet"
    precious.write_bytes(b"mine")
    path = entry(folder, "run")
    body = json.loads(path.read_text())
    for file in ("../precious.parquet", str(precious), "tables/../../precious.parquet", "byhistory.json"):
        path.write_text(json.dumps({**body, "file": file}))
        with open_store(str(folder)) as store, pytest.raises(StoreError, match="which is none of the table's"):
            store.forget("orders", body["run"])
    assert precious.read_bytes() == b"mine"
    assert (folder / "byhistory.json").exists()


@given(st.lists(st.one_of(st.text(), st.integers(), st.none(), st.booleans(), st.floats(), st.binary()), max_size=6))
def test_what_a_checksum_is_made_of_is_what_json_would_write(parts):
    assert _as_json(parts) == json.dumps(parts, default=repr)
