"""Files on a folder that others write to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs
import pytest
from fsspec.implementations.local import LocalFileSystem

from byhistory.history.files import Files, files_at

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


def test_a_remote_file_that_breaks_off_is_read_again(tmp_path: Path) -> None:
    broken: list[str] = []

    class Breaking(LocalFileSystem):
        """A server that breaks the first answers off, as one does whose file is replaced meanwhile."""

        cachable = False

        def _open(self, path: str, *args: Any, **named: Any) -> Any:
            if len(broken) < 2:
                broken.append(path)
                raise OSError("response broken off")
            return super()._open(path, *args, **named)

    (tmp_path / "head").write_bytes(b"whole")
    files = Files(pafs.PyFileSystem(pafs.FSSpecHandler(Breaking())), str(tmp_path), None)
    assert (files.read("head"), len(broken)) == (b"whole", 2)
    with pytest.raises(FileNotFoundError):
        files.read("none")
