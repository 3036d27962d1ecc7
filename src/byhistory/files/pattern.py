"""Which runs are there at a path in which `{run}` stands for the label?"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable

from byhistory.errors import ByHistoryError
from byhistory.files.listing import files_below, is_hidden
from byhistory.files.storage import Storage, plain_path, scheme_of
from byhistory.profile.label import checked_label
from byhistory.profile.past import run_key

RUN, TABLE = "{run}", "{table}"
_SIGNS = re.compile(r"[*?\[\]{}\\]")
"""Signs that make a path a pattern, for our own reader or for Spark's."""


def path_of_run(pattern: str, run: str) -> str:
    """The path of a run, with its label in place of `{run}`: a label leads to nothing but the run itself.

    >>> path_of_run("lake/ds={run}", "2026-11-15")
    'lake/ds=2026-11-15'
    >>> path_of_run("lake/ds={run}", "*")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    byhistory.errors.ByHistoryError: Asked: ... Found: * in '*', which would stand for other paths, too. To go on: ...
    """
    return _filled(pattern, RUN, checked_label(run)) if RUN in pattern else pattern


def path_of_table(pattern: str, table: str) -> str:
    """The path of a table, with its name in place of `{table}`."""
    return _filled(pattern, TABLE, table) if TABLE in pattern else pattern


def _filled(pattern: str, mark: str, name: str) -> str:
    if found := _SIGNS.search(name):
        what = f"{found[0]} in {name[:40]!r}, which would stand for other paths, too"
    elif any(part in (".", "..") for part in name.split("/")):
        what = f"{name[:40]!r}, which is the way to another folder"
    else:
        return pattern.replace(mark, name)
    raise ByHistoryError(f"read what {pattern} stands for", what, "give the path itself, written out")


def labels_below(pattern: str, storage: Storage) -> list[str]:
    """The labels of all runs whose paths match a pattern, in order."""
    if scheme_of(pattern) == "file":
        return labels_of(pattern, glob.glob(plain_path(pattern).replace(RUN, "*")))  # noqa: PTH207 - it may begin anywhere
    root = pattern.partition(RUN)[0].rpartition("/")[0]
    return labels_of(pattern, [name for name, _ in files_below(root, pattern, storage)])


def labels_of(pattern: str, paths: Iterable[str]) -> list[str]:
    """The labels that paths have in place of `{run}`, in the names of the files themselves or of folders above them.

    >>> labels_of("in/{run}.csv", ["in/2026-05-02.csv", "in/2026-05-01.csv", "in/readme.md"])
    ['2026-05-01', '2026-05-02']
    >>> labels_of("lake/*/{run}", ["file:/tmp/lake/orders/7/part-0.parquet", "file:/tmp/lake/orders/10/part-0.parquet"])
    ['7', '10']
    """
    fits = re.compile(f"(?:^|/){_expression(plain_path(pattern).strip('/'))}(?:/|$)")
    found = {match["run"] for path in paths if (match := fits.search(path))}
    return sorted((label for label in found if not is_hidden(label)), key=run_key)


def _expression(pattern: str) -> str:
    """A pattern as a regular expression: `{run}` is one part of a path, the same in every place.

    >>> _expression("in/{run}/a{run}")
    'in/(?P<run>[^/]+?)/a(?P=run)'
    """
    first, *rest = (_with_stars(part) for part in pattern.split(RUN))
    return first + "(?P<run>[^/]+?)" + "(?P=run)".join(rest)


def _with_stars(part: str) -> str:
    return re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
