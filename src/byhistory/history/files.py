"""Files that appear whole or not at all, on any path that pyarrow or fsspec reaches."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import pyarrow.fs as pafs

from byhistory.history.s3 import Create, creating

TEMPORARY = ".tmp"
_OWNER = 0o600
"""Only its owner may read a new file, because it is about the data."""
_BY_ARROW = ("s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss")
_AT_ONCE = 16  # Small files read together: what makes remote ones slow is waiting.
_PAUSES = (0.1, 0.5, 2.0)
"""Seconds before a remote file is read again (a choice): some servers cut a file off that another process replaces."""
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Files:
    """A folder on a file system. Names are relative to it, with slashes; None for `local` if it is remote.

    `has_objects` says that a file appears only when it is complete, as on S3; `create` makes one unless it exists.
    """

    system: Any
    root: str
    local: Path | None
    has_objects: bool = False
    create: Create | None = None

    def names(self, under: str = "", deep: bool = False) -> dict[str, float | None]:
        """Finished and unfinished files by name, with their times as the file system tells them."""
        base = f"{self.root}/{under}".rstrip("/")
        return {
            info.path[len(self.root) :].lstrip("/"): info.mtime_ns if info.mtime_ns is None else info.mtime_ns / 1e9
            for info in self._listed(base, deep)
            if info.type == pafs.FileType.File
        }

    def top(self) -> list[str]:
        """What is directly in the folder, files and folders, by name."""
        return sorted(info.base_name for info in self._listed(self.root))

    def is_file(self) -> bool:
        """Whether a file is where the folder should be."""
        return bool(self.system.get_file_info(self.root).type == pafs.FileType.File)

    def read(self, name: str) -> bytes:
        """The bytes of a file; FileNotFoundError if there is none."""
        if self.local is not None:
            return (self.local / name).read_bytes()
        return self._fetched(name, _PAUSES)

    def opened(self, name: str) -> Any:
        """The open file, to be read in parts."""
        return self.system.open_input_file(f"{self.root}/{name}")

    def put(self, name: str, data: bytes) -> None:
        """Write a draft and rename it: a reader finds the whole file or none, even if the writer is killed.

        An object appears as a whole by itself: renaming it would be a copy.
        """
        if self.has_objects:
            with self.system.open_output_stream(f"{self.root}/{name}", compression=None) as stream:
                stream.write(data)
            return
        beside = _beside(name)
        if self.local is not None:
            written = self._written(self.local / beside, data)
            try:
                written.replace(self.local / name)
            finally:
                written.unlink(missing_ok=True)
            _settle(written.parent)
            return
        self.system.create_dir(f"{self.root}/{name}".rpartition("/")[0], recursive=True)
        try:
            with self.system.open_output_stream(f"{self.root}/{beside}", compression=None) as stream:
                stream.write(data)
            self.system.move(f"{self.root}/{beside}", f"{self.root}/{name}")
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(beside)
            raise

    def put_if_absent(self, name: str, data: bytes) -> bool:
        """Like `put`, but the first one wins; False if the file system cannot promise that."""
        if self.local is None:
            return self.create is not None and self.create(f"{self.root}/{name}", data)
        written = self._written(self.local / _beside(name), data)
        try:
            os.link(written, self.local / name)
        except FileExistsError:
            return True
        except OSError:
            return False
        finally:
            written.unlink()
        _settle(written.parent)
        return True

    def remove(self, name: str) -> None:
        """Remove a file; fine if somebody else did."""
        with contextlib.suppress(FileNotFoundError):
            if self.local is not None:
                (self.local / name).unlink()
            else:
                self.system.delete_file(f"{self.root}/{name}")

    def each(self, work: Callable[[A], B], items: Iterable[A]) -> list[B]:
        """The results of work on every item, on many at once if files are remote."""
        items = list(items)
        if self.local is not None or len(items) < 2:
            return [work(item) for item in items]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(work, items))

    def _fetched(self, name: str, pauses: tuple[float, ...]) -> bytes:
        """The bytes of a remote file, requested again after each pause unless the server gave a reason."""
        try:
            return self._streamed(name)
        except OSError as e:
            if not pauses or isinstance(e, FileNotFoundError | PermissionError):
                raise
        time.sleep(pauses[0])
        return self._fetched(name, pauses[1:])

    def _streamed(self, name: str) -> bytes:
        with self.system.open_input_stream(f"{self.root}/{name}", compression=None) as stream:
            return bytes(stream.read())

    def _listed(self, folder: str, deep: bool = False) -> list[Any]:
        """The content of a folder; nothing if there is none. For pyarrow, one that appears meanwhile is an error."""
        for_all = pafs.FileSelector(folder, allow_not_found=True, recursive=deep)
        with contextlib.suppress(FileNotFoundError):
            return list(self.system.get_file_info(for_all))
        return list(self.system.get_file_info(for_all))

    @staticmethod
    def _written(path: Path, data: bytes) -> Path:
        if not path.parent.is_dir():
            _make_folder(path.parent)
        try:
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # Or a power cut may leave the new name with old or no bytes.
        except BaseException:
            path.unlink(missing_ok=True)  # A full disk, or somebody's Ctrl-C: half a file helps nobody.
            raise
        return path


def _make_folder(folder: Path) -> None:
    """Make a folder, and those above it, that only its owner may look into: their names tell which tables there are."""
    for missing in reversed([folder, *(p for p in folder.parents if not p.exists())]):
        missing.mkdir(0o700, exist_ok=True)


def files_at(url: str) -> Files:
    """The folder that a path or an address names; ImportError or OSError if no file system reaches it."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", url)
    if scheme is None or scheme[1].lower() == "file":
        path = Path(url).expanduser() if scheme is None else Path(unquote(re.sub(r"^[^:]*:(//)?", "", url)))
        path = path.absolute()
        return Files(pafs.LocalFileSystem(), path.as_posix(), path)
    if scheme[1].lower() in _BY_ARROW:
        with contextlib.suppress(ImportError, NotImplementedError, OSError, ValueError):
            if scheme[1].lower() == "s3":
                system, root = _s3(url)
                return Files(system, root.rstrip("/"), None, has_objects=True, create=creating(url))
            system, root = pafs.FileSystem.from_uri(url)
            return Files(system, root.rstrip("/"), None)
    import fsspec

    # Without its caches: they would hide what other processes write.
    system, root = fsspec.core.url_to_fs(url, use_listings_cache=False, skip_instance_cache=True)
    return Files(pafs.PyFileSystem(pafs.FSSpecHandler(system)), root.rstrip("/"), None)


def _s3(url: str) -> tuple[Any, str]:
    """S3 with one request for a small file if this pyarrow can; otherwise with three."""
    with contextlib.suppress(ValueError):
        return pafs.FileSystem.from_uri(f"{url}{'&' if '?' in url else '?'}allow_delayed_open=true")  # type: ignore[no-any-return]  # pyarrow has no types
    return pafs.FileSystem.from_uri(url)  # type: ignore[no-any-return]


def _beside(name: str) -> str:
    """A unique name for an unfinished file in the same folder."""
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}.{last}.{secrets.token_hex(6)}{TEMPORARY}"


def _settle(folder: Path) -> None:
    """Make the names in a folder survive a power cut, if the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
