"""What do other packages add?

A package adds a value through an entry point in one of these groups. It is used beside our own by default:

| group | an entry point is | and is |
|---|---|---|
| `byhistory.metrics` | a metric, or several | measured with all others |
| `byhistory.faults` | a fault, or several | injected with all others |
| `byhistory.learners` | a learner, or several | named by `learner` in byhistory.toml |
| `byhistory.stores` | a way to open a store, or several | tried with the address before ours |
| `byhistory.outputs` | a format of the answer, or several | named by `--output` |
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from byhistory.errors import ByHistoryError


@cache
def added(group: str) -> tuple[Any, ...]:
    """The values that installed packages add to a group, ordered by the names of their entry points.

    >>> added("byhistory.nothing")
    ()
    """
    found: list[Any] = []
    for entry in sorted(entry_points(group=group), key=lambda e: e.name):
        value = _loaded(entry)
        found += value if isinstance(value, tuple | list) else [value]
    return tuple(found)


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as why:  # a plug-in may raise anything; naming it lets the user fix or remove it
        raise ByHistoryError(
            f"load the plug-in {entry.name!r} of {entry.group}",
            f"{type(why).__name__}: {why} in {entry.value}",
            "fix or uninstall the package that declares it",
        ) from why
