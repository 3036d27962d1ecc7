"""Which tables are below a folder?"""

from __future__ import annotations

from pathlib import PurePosixPath

from byhistory.errors import ByHistoryError
from byhistory.files.folders import keys_in
from byhistory.files.found import FoundTable
from byhistory.files.listing import files_below
from byhistory.files.storage import Storage, opened, plain_path, scheme_of


def tables_below(path: str, storage: Storage) -> list[FoundTable]:
    """Every folder that holds files with rows, or folders such as `ds=2026-11-15` with such files, by name.

    A table is named by the folders that lead to it, with dots: `sales/orders` is `sales.orders`. Only names, sizes and
    the schema of one Parquet file per table are read.
    """
    root = (plain_path(path) if scheme_of(path) == "file" else path).rstrip("/")
    by_folder: dict[str, list[tuple[str, int]]] = {}
    for name, size in files_below(root, path, storage):
        parts = PurePosixPath(name[len(root) :].strip("/")).parts[:-1]
        keyed = next((i for i, part in enumerate(parts) if "=" in part), len(parts))
        by_folder.setdefault("/".join(parts[:keyed]), []).append((name, size))
    if not by_folder:
        raise ByHistoryError(f"look for tables in {path}", "no file there", "give a folder with tables in it")
    return [_found(root, folder, files, storage) for folder, files in sorted(by_folder.items())]


def _found(root: str, folder: str, files: list[tuple[str, int]], storage: Storage) -> FoundTable:
    top = f"{root}/{folder}".rstrip("/")
    keys = [keys_in(name, top) for name, _ in files]
    columns = tuple(column for column, _ in keys[0])
    runs = tuple(dict.fromkeys(tuple(value for _, value in one) for one in keys if len(one) == len(columns)))
    name = folder.replace("/", ".") or PurePosixPath(root).name
    width, dates = _schema(files[0][0], storage) if files[0][0].endswith(".parquet") else (None, ())
    size = sum(size for _, size in files)
    return FoundTable(name, columns, runs, path=top, bytes=size, width=width, dates=() if columns else dates)


def _schema(file: str, storage: Storage) -> tuple[int | None, tuple[str, ...]]:
    """How many columns a Parquet file has, and which hold dates or times; None if it cannot be read, which the backfill
    will explain.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with opened(file, storage) as source:
            schema = parquet.read_schema(source)
    except (OSError, pa.ArrowException):
        return None, ()
    is_date = (pa.types.is_date, pa.types.is_timestamp)
    return len(schema.names), tuple(field.name for field in schema if any(asks(field.type) for asks in is_date))
