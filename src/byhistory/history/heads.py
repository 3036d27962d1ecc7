"""What must be in the log of a table, so that the loss of an entry is noticed.

A head is a file in the log that lists every entry its writer found there, and those that were removed on purpose. It is
written after each entry, before anybody is told that the entry is stored, and then replaces the heads that its writer
saw. Several heads, of simultaneous writers, are valid together: what one of them removed is gone for all, even if its
file is still there, or a writer who looked earlier lists it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from byhistory.history.log import Entry

HEAD = "head"
REMEMBERED = 1_000
"""How many removals a head keeps naming: as many may happen while a slow writer makes a head of what it saw before."""
_SIZE = 8
"""How many digits of an entry's name stand for it: a lost entry has those of another once in 2**32."""


def head_body(log: Sequence[Entry], heads: Sequence[Entry], removed: Collection[str] = ()) -> dict[str, Any]:
    """The content of a head, from the entries of a log and the heads before; `removed` names what is about to go."""
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
    """Removed entries whose files are still there, because their remover was killed or has not finished."""
    gone = set(_gone(heads))
    return [entry for entry in log if _mark(entry.name) in gone] if gone else []


def lost(log: Sequence[Entry], heads: Sequence[Entry]) -> Mapping[str, list[str]]:
    """The beginnings of the names of lost entries, by kind: named by a head, removed by nobody, and not there."""
    there = {_mark(entry.name) for entry in log} | set(_gone(heads))
    found: dict[str, list[str]] = {}
    for head in heads:
        for kind, marks in head.body["entries"].items():
            found.setdefault(kind, []).extend(mark for mark in _marks(marks) if mark not in there)
    return {kind: sorted(set(marks)) for kind, marks in found.items() if marks}


def _gone(heads: Sequence[Entry]) -> list[str]:
    return [mark for head in heads for mark in _marks(head.body["gone"])]


def _mark(name: str) -> str:
    """What stands for an entry in a head: the beginning of the random part of its name."""
    return name.rpartition("-")[2].partition(".")[0][:_SIZE].rjust(_SIZE, "0")


def _marks(text: str) -> Iterator[str]:
    return (text[at : at + _SIZE] for at in range(0, len(text), _SIZE))
