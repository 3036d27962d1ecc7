"""A store that is known by its address only."""

import shutil
from pathlib import Path

import pytest
from tests.golden import guard_make

from byhistory.validator.address import backup, is_missing

FOLDER = Path(guard_make.__file__).parent


@pytest.mark.parametrize("name", ["guard-v1.db", "guard-v1"])
def test_a_backup_leaves_a_store_of_an_earlier_release_as_it_is(tmp_path, name):
    store, end = tmp_path / name, Path(name).suffix
    (shutil.copy if end else shutil.copytree)(FOLDER / name, store)

    def content():
        return {path: path.read_bytes() for path in [store, *store.rglob("*")] if path.is_file()}

    before = content()
    done = backup(str(store), f"{tmp_path}/copy{end}")
    assert (done.found.tables, done.found.runs, done.found.problems) == (1, 15, ())
    assert content() == before


@pytest.mark.parametrize(
    ("url", "missing"),
    [("none.db", True), ("none", True), ("memory:", False), ("s3://bucket/none", False), ("postgresql://h/d", False)],
)
def test_only_a_store_of_this_machine_can_be_seen_to_be_missing(tmp_path, url, missing, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_missing(url) == missing
    (tmp_path / "none.db").touch()
    (tmp_path / "none").mkdir()
    assert not is_missing(url)
