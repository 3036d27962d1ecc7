"""Which run of the files at a path is meant?"""

from __future__ import annotations

from byhistory.errors import BadInput
from byhistory.files.folders import label_of
from byhistory.files.listing import listed_files
from byhistory.files.storage import Storage
from byhistory.profile.past import run_key

_NAMED = 4
"""How many labels an error names, by choice."""

Only = tuple[tuple[str, ...], str]
"""Columns that make a label, and the label of the run that is meant."""


def run_in_files(
    path: str, columns: tuple[str, ...], *, given: str = "", named: str = "", latest: bool = False, storage: Storage
) -> tuple[str, Only | None]:
    """The label of the run that is meant, and how to select its files: all of them if None.

    `columns` make the label of a run, if they are in the folders below the path. `given` is the label that the user
    wants, `named` the one in the path itself, and `latest` means the last one. The label is empty if nothing tells it.
    """
    listing = listed_files(path, storage)
    there = [name for name, _ in listing.columns]
    if not columns or not set(columns) <= set(there):
        return given or named, None
    if given:
        return given, (columns, given)
    at = [there.index(name) for name in columns]
    labels = {label for piece in listing.files if (label := label_of([piece.values[i] for i in at])) is not None}
    found = sorted(labels, key=run_key)
    if len(found) == 1 or (latest and found):
        return found[-1], (columns, found[-1])
    asked = f"take the run from the folders {','.join(columns)!r} of {path}"
    if not found:
        raise BadInput(asked, "no folder with a value in its name", "name the run with --run")
    some = ", ".join(found[-_NAMED:])
    raise BadInput(
        asked, f"{len(found)} runs (the last ones are {some})", "name one of them with --run, or say --latest"
    )
