"""Which files does a path mean? (The same as with Spark, without Spark.)"""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import PurePosixPath

from byhistory.errors import BadInput, ByHistoryError
from byhistory.files.folders import keys_in, type_of, value_of
from byhistory.files.piece import Piece
from byhistory.files.storage import Storage, file_system, plain_path, scheme_of

SUMMARIES = ("_common_metadata", "_metadata")
"""Files without rows, but with the schema of those that have some; they are asked first."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files with rows in the order of their paths, and the columns that are in their paths, with their types."""

    files: tuple[Piece, ...]
    columns: tuple[tuple[str, str], ...]
    first: str
    """The file whose schema is the table's."""


def listed_files(path: str, storage: Storage) -> Listing:
    """The files at a path, or at the paths that match a pattern, without hidden ones (`.x`, `_x`).

    A folder named `day=2026-05-01` below the path gives all of its rows that value in the column `day`. If a folder has
    no such folders, only the files directly in it count.
    """
    found: list[tuple[str, int, tuple[tuple[str, str], ...]]] = []
    summaries: list[str] = []
    for root in _roots(path):
        files = files_below(root, path, storage)
        summaries += [name for name, _ in files if _own_name(name) in SUMMARIES]
        rows = [(name, size) for name, size in files if _own_name(name) not in SUMMARIES]
        keyed = [(name, size, keys_in(name, root)) for name, size in rows]
        if not any(keys for _, _, keys in keyed):
            above = str(PurePosixPath(root))
            keyed = [k for k in keyed if k[0] == root or str(PurePosixPath(k[0].rpartition("/")[0])) == above]
        found += keyed
    if not found:
        raise ByHistoryError(f"read the files of {path}", "no file there", "give a path that exists and has files")
    names = {tuple(name for name, _ in keys) for _, _, keys in found}
    if len(names) > 1:
        some = " and ".join(sorted("/".join(one) or "no such column" for one in names)[:2])
        raise BadInput(
            f"read the files of {path}", f"different columns in their paths: {some}", "name one of the folders"
        )
    found.sort()
    types = tuple((name, type_of([keys[i][1] for _, _, keys in found])) for i, name in enumerate(names.pop()))
    pieces = tuple(
        Piece(name, size, "", tuple(value_of(v, type_) for (_, v), (_, type_) in zip(keys, types, strict=True)))
        for name, size, keys in found
    )
    first = next((s for kind in SUMMARIES for s in sorted(summaries) if s.endswith(kind)), found[0][0])
    return Listing(pieces, types, first)


def _own_name(path: str) -> str:
    return path.rpartition("/")[2]  # `PurePosixPath` takes twenty times as long, of a table of many files


def _roots(path: str) -> list[str]:
    """The path, or those that a pattern means."""
    if scheme_of(path) != "file" or not glob.has_magic(plain_path(path)):
        return [path if scheme_of(path) != "file" else plain_path(path)]
    found = sorted(glob.glob(plain_path(path)))  # noqa: PTH207 - a pattern of a user, which may begin anywhere
    return [root for root in found if not is_hidden(PurePosixPath(root).name)]


def files_below(root: str, path: str, storage: Storage) -> list[tuple[str, int]]:
    """All files below a folder that are not hidden, with their sizes; the file itself if it is one."""
    from pyarrow import fs

    system = file_system(path, storage)
    top = plain_path(root).rstrip("/")
    info = system.get_file_info(top)
    if info.type == fs.FileType.File:
        return [(root, info.size)]
    if info.type == fs.FileType.NotFound:
        return []
    inside = system.get_file_info(fs.FileSelector(top, recursive=True))
    at = len(top) + 1
    return [
        (root.rstrip("/") + "/" + file.path[at:], file.size)
        for file in inside
        if file.type == fs.FileType.File and not any(is_hidden(part) for part in file.path[at:].split("/"))
    ]


def is_hidden(name: str) -> bool:
    """Whether Spark ignores a file or folder of this name.

    >>> [is_hidden(n) for n in ("_SUCCESS", ".part.crc", "_day=1", "_metadata", "part-0.parquet")]
    [True, True, False, False, False]
    """
    if name in SUMMARIES:
        return False
    return (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_")
