"""Where are files stored, and how are they opened without Spark?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

S3 = ("s3", "s3a", "s3n")
GOOGLE = ("gs", "gcs")
HADOOP = ("hdfs", "viewfs")

Storage = Mapping[str, str]
"""The user's settings for a storage: arguments of pyarrow's file system, or of fsspec's if pyarrow has none."""


def scheme_of(path: str) -> str:
    """The kind of storage that an address names; `file` for a plain path.

    >>> scheme_of("s3a://lake/orders"), scheme_of("file:/data/orders"), scheme_of("/data/orders")
    ('s3a', 'file', 'file')
    """
    if path.startswith("/"):  # nearly all are, and this is asked for every file
        return "file"
    found = re.match(r"([A-Za-z][\w+.-]*):/", path)
    return found[1].lower() if found else "file"


def plain_path(path: str) -> str:
    """The path within its file system, without the scheme.

    >>> plain_path("file:/data/a b"), plain_path("file:///data/x"), plain_path("s3a://lake/orders/x.parquet")
    ('/data/a b', '/data/x', 'lake/orders/x.parquet')
    """
    if path.startswith("/"):  # nearly all are, and this is asked for every file
        return path
    scheme = scheme_of(path)
    if scheme == "file":
        return re.sub(r"^file:(?://)?(?=/)", "", path)
    rest = path.partition("://")[2]
    return "/" + rest.partition("/")[2] if scheme in HADOOP else rest


@contextmanager
def opened(path: str, storage: Storage) -> Iterator[Any]:
    """An open file that can be read at any place."""
    if scheme_of(path) == "file":
        file = pa.OSFile(plain_path(path))
    else:
        file = file_system(path, storage).open_input_file(plain_path(path))
    with file:
        yield file


def file_system(path: str, storage: Storage) -> Any:
    """The file system of an address: pyarrow's own, or else fsspec's."""
    host = urlsplit(path).netloc if scheme_of(path) in HADOOP else ""
    return _file_system(scheme_of(path), host, tuple(sorted(storage.items())))


_SWITCHES = {"true": True, "false": False}
"""Settings are text, but some arguments are truth values."""


@lru_cache(maxsize=16)
def _file_system(scheme: str, host: str, storage: tuple[tuple[str, str], ...]) -> Any:
    from pyarrow import fs

    given: dict[str, Any] = {name: _SWITCHES.get(value, value) for name, value in storage}
    if scheme == "file":
        return fs.LocalFileSystem()
    if scheme in S3:
        return fs.S3FileSystem(**given)
    if scheme in GOOGLE:
        return fs.GcsFileSystem(**given)
    if scheme in HADOOP:
        name, _, port = host.partition(":")
        return fs.HadoopFileSystem(name or "default", int(port or 0), **given)
    import fsspec

    return fs.PyFileSystem(fs.FSSpecHandler(fsspec.filesystem(scheme, **given)))
