"""Files on a folder that others write to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from byhistory.history.files import files_at

FOLDERS = 3000


def test_a_folder_that_appears_while_it_is_listed_is_empty_or_there(tmp_path: Path) -> None:
    files = files_at(str(tmp_path))

    def make() -> None:
        for i in range(FOLDERS):
            (tmp_path / str(i)).mkdir()

    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(make)
        for i in range(FOLDERS):
            while not (tmp_path / str(i)).exists() and not made.done():
                assert files.names(str(i)) == {}
        made.result()
