"""What every format promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from byhistory.export.limits import Learned, Unsaid


@dataclass(frozen=True, slots=True)
class Export:
    """What was learned, written for another tool: the text of each file by its name, ready to be saved.

    `title` names the tool, `limits` counts the limits in the files, and `unsaid` lists what the tool cannot express.
    """

    title: str
    files: dict[str, str]
    limits: int
    unsaid: tuple[Unsaid, ...]


@dataclass(frozen=True, slots=True)
class Format:
    """A tool, and how limits are written for it."""

    name: str
    title: str
    write: Callable[[Learned], Export]


def headline(learned: Learned) -> str:
    """Where the limits come from, in one line, for the head of a file."""
    return (
        f"Limits that byhistory learned for the run of {learned.table} after {learned.run}; "
        f"a good run breaks those of one column at most {100 * learned.budget:.3g} % of the time. "
        "Export again after every run."
    )


def comment(learned: Learned, unsaid: Sequence[Unsaid]) -> list[str]:
    """The head of a file, with what is not in it: one line for the columns that lack the same."""
    columns: dict[tuple[str, str], list[str]] = {}
    for lost in unsaid:
        columns.setdefault((lost.what, lost.why), []).append(lost.column)
    missing = [str(Unsaid(", ".join(filter(None, names)), *lost)) for lost, names in columns.items()]
    return [headline(learned), *(f"Not in here: {line}" for line in missing)]


def file_name(table: str) -> str:
    """The table's name as a part of a file's name.

    >>> file_name("shop.orders/eu")
    'shop_orders_eu'
    """
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in table)
