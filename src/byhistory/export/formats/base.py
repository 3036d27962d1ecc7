"""What every format promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from byhistory.errors import ByHistoryError
from byhistory.export.limits import Learned, Unsaid

_TEMPLATE = re.compile(r"\{[{%#]|\$\{")
"""How what dbt and Soda run begins, wherever in a file it stands: `{{ env_var('TOKEN') }}`, `${TOKEN}`."""


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
    lines = [headline(learned), *(f"Not in here: {line}" for line in missing)]
    return [_TEMPLATE.sub(lambda found: "\\".join(found[0]), line) for line in lines]  # Soda runs comments, too.


def without_templates(learned: Learned, tool: str) -> tuple[Learned, list[Unsaid]]:
    """What was learned without columns whose names the tool would run; an error for such a table.

    Who delivers the data names the columns. The condition on the rows is the user's own, and may have templates.
    """
    if _TEMPLATE.search(learned.table):
        found, todo = "a name that the tool would run as a template", "export it to gx or odcs, which run none"
        raise ByHistoryError(f"export {learned.table!r} to {tool}", found, todo)
    run = [column.name for column in learned.columns if _TEMPLATE.search(column.name)]
    kept = tuple(column for column in learned.columns if column.name not in run)
    return replace(learned, columns=kept), [Unsaid(name, "all of it", "the tool would run its name") for name in run]


def file_name(table: str) -> str:
    """The table's name as a part of a file's name.

    >>> file_name("shop.orders/eu")
    'shop_orders_eu'
    """
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in table)
