"""What a table's log must have in it: so that an entry that was lost is noticed.

A head is a file in the log that lists every entry its writer found there, and those that were removed on purpose. It is
written after each entry and before anybody is told that the entry is kept, and then takes the place of the heads that
its writer saw. Several heads, of writers at the same time, hold together: what one of them removed is gone for all,
even if its file is still there, or is listed as there by a writer who looked before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from byhistory.history.log import Entry

HEAD = "head"
REMEMBERED = 1_000
"""Removals that a head goes on naming: as many may happen while a slow writer makes a head of what it saw before."""
_SIZE = 8
"""Digits of an entry's name that stand for it: that a lost one has those of another happens once in 2**32."""


def head_body(log: Sequence[Entry], heads: Sequence[Entry], removed: Collection[str] = ()) -> dict[str, Any]:
    """What a head says after the entries of a log and the heads before; `removed` are names of what is about to go."""
    kinds: dict[str, list[str]] = {}
    for entry in log:
        if entry.name not in removed:
            kinds.setdefault(entry.kind, []).append(_mark(entry.name))
    gone = dict.fromkeys([*_gone(heads), *map(_mark, removed)])
    return {
        "entries": {kind: "".join(marks) for kind, marks in kinds.items()},
        "gone": "".join([*gone][-REMEMBERED:]),
    }


def removed_in(log: Sequence[Entry], heads: Sequence[Entry]) -> list[Entry]:
    """The entries that were removed and whose files are still there, because their remover was killed or is at it."""
    gone = set(_gone(heads))
    return [entry for entry in log if _mark(entry.name) in gone] if gone else []


def lost(log: Sequence[Entry], heads: Sequence[Entry]) -> Mapping[str, list[str]]:
    """The entries that a head names, that nobody removed and that are not there: by kind, how their names begin."""
    there = {_mark(entry.name) for entry in log} | set(_gone(heads))
    found: dict[str, list[str]] = {}
    for head in heads:
        for kind, marks in head.body["entries"].items():
            found.setdefault(kind, []).extend(mark for mark in _marks(marks) if mark not in there)
    return {kind: sorted(set(marks)) for kind, marks in found.items() if marks}


def _gone(heads: Sequence[Entry]) -> list[str]:
    return [mark for head in heads for mark in _marks(head.body["gone"])]


def _mark(name: str) -> str:
    """What stands for an entry in a head: the beginning of the random end of its name."""
    return name.rpartition("-")[2].partition(".")[0][:_SIZE].rjust(_SIZE, "0")


def _marks(text: str) -> Iterator[str]:
    return (text[at : at + _SIZE] for at in range(0, len(text), _SIZE))
