"""A put that the first of many wins, on a real S3 server; the stores' own tests run there too (`-k s3`)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.integrations.seaweed import address, serving

from byhistory.errors import StoreError
from byhistory.history import open_store
from byhistory.history.files import Files, files_at

pytestmark = pytest.mark.integration
WRITERS = 16


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with serving(tmp_path_factory.mktemp("seaweed"), "stores") as said:
        yield said


@pytest.fixture
def files(storage) -> Files:
    return files_at(address(storage, "stores/first"))


def test_of_many_writers_at_once_one_wins_and_all_read_what_it_wrote(files):
    for attempt in range(5):
        name = f"byhistory-{attempt}.json"

        def put(writer: int, name: str = name) -> bytes:
            assert files.put_if_absent(name, b"%d" % writer)
            return files.read(name)

        with ThreadPoolExecutor(WRITERS) as pool:
            read = list(pool.map(put, range(WRITERS)))
        assert len(set(read)) == 1


def test_a_later_writer_changes_nothing(files):
    assert files.put_if_absent("mark", b"first")
    assert files.put_if_absent("mark", b"second")
    assert files.read("mark") == b"first"


def test_a_file_is_one_object_and_leaves_nothing_beside(files):
    files.put("log/entry.json", b"{}")
    assert set(files.names(deep=True)) >= {"log/entry.json"}
    assert not [name for name in files.names(deep=True) if name.endswith(".tmp")]


def test_a_refused_key_is_a_clear_error(storage):
    with pytest.raises(StoreError, match="the store s3://any"):
        open_store(address(storage | {"secret_key": "wrong"}, "stores/refused"))
