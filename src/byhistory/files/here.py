"""Errors where Spark's reader cannot be used instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from byhistory.errors import ByHistoryError
from byhistory.files.reader import Declined


@contextmanager
def read_here(path: str) -> Iterator[None]:
    """Files that only Spark reads are an error that says so."""
    try:
        yield
    except Declined as why:
        raise ByHistoryError(
            f"read the files of {path} in this process",
            f"that {why}",
            "read them with Spark (--engine spark), or mend the file",
        ) from why
