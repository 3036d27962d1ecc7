"""The key of a store may be kept outside of it."""

import sys

import pytest
from tests.golden import history_make as golden

from byhistory.errors import StoreError
from byhistory.history import open_store

KEY = "0123456789abcdef" * 4


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch):
    for name in ("BYHISTORY_KEY", "BYHISTORY_KEY_FILE", "BYHISTORY_KEY_COMMAND"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("kind", ["history.db", "history"])
def test_a_given_key_is_not_in_the_store_and_is_needed_to_open_it(kind, tmp_path, monkeypatch):
    url = f"{tmp_path}/{kind}"
    monkeypatch.setenv("BYHISTORY_KEY", KEY)
    with open_store(url) as store:
        golden.fill(store)
        assert store.key().hex() == KEY
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert not any(KEY.encode() in p.read_bytes() or bytes.fromhex(KEY) in p.read_bytes() for p in files)
    monkeypatch.setenv("BYHISTORY_KEY", KEY[::-1])
    with pytest.raises(StoreError, match="another key in the environment than the store was made with"):
        open_store(url)
    monkeypatch.delenv("BYHISTORY_KEY")
    with pytest.raises(StoreError, match="whose key is kept elsewhere, and no key in the environment"):
        open_store(url)
    (tmp_path / "key").write_text(KEY + "\n")
    monkeypatch.setenv("BYHISTORY_KEY_FILE", str(tmp_path / "key"))
    with open_store(url) as store:
        assert store.load("orders", ["2026-11-9", "2026-11-15"]) == golden.RUNS
    monkeypatch.delenv("BYHISTORY_KEY_FILE")
    monkeypatch.setenv("BYHISTORY_KEY_COMMAND", f"{sys.executable} -c 'print(\"{KEY}\")'")
    with open_store(url) as store:
        assert store.key().hex() == KEY


@pytest.mark.parametrize("kind", ["history.db", "history"])
def test_a_store_that_keeps_its_key_needs_none(kind, tmp_path, monkeypatch):
    with open_store(f"{tmp_path}/{kind}") as store:
        key = store.key()
    monkeypatch.setenv("BYHISTORY_KEY", KEY)
    with open_store(f"{tmp_path}/{kind}") as store:
        assert store.key() == key


@pytest.mark.parametrize("text", ["", "abc", KEY[:-2], "x" * 64])
def test_what_is_no_key_is_refused_and_not_shown(text, tmp_path, monkeypatch):
    monkeypatch.setenv("BYHISTORY_KEY", text)
    with pytest.raises(StoreError, match="something else than a key in BYHISTORY_KEY") as caught:
        open_store(f"{tmp_path}/history.db")
    assert not text or text not in str(caught.value)
