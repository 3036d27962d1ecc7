"""Which runs are there at a path in which `{run}` stands for the label?"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable

from byhistory.files.listing import files_below, is_hidden
from byhistory.files.storage import Storage, plain_path, scheme_of
from byhistory.profile.past import run_key

RUN = "{run}"


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
