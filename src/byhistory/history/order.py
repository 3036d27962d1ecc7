"""In which order are the runs of a table?"""

from __future__ import annotations

from collections.abc import Sequence

from byhistory.history.record import RunLine
from byhistory.profile.label import meaning
from byhistory.profile.past import sort_bytes

BY_LABEL, BY_ARRIVAL = "label", "arrival"


def ordering(first: str) -> str:
    """How the runs of a table are ordered, decided by its first label: by the meaning of labels, if that is certain.

    >>> ordering("2026-11-15"), ordering("03/04/2026")
    ('label', 'arrival')
    """
    return BY_ARRIVAL if meaning(first).doubt else BY_LABEL


def order_key(label: str, how: str, arrived: int) -> bytes:
    """The sort key of a run. A run that is delivered again keeps its place, however its table is ordered."""
    return b"\0" + arrived.to_bytes(8, "big") if how == BY_ARRIVAL else sort_bytes(label)


def is_by_arrival(lines: Sequence[RunLine]) -> bool:
    """Whether the runs are in the order in which they came."""
    return bool(lines) and lines[0].order.startswith(b"\0")


def runs_before(lines: Sequence[RunLine], run: str) -> list[RunLine]:
    """The runs before a run, which need not have come yet."""
    place = place_of(lines, run)
    return [line for line in lines if line.order < place]


def runs_after(lines: Sequence[RunLine], run: str) -> list[RunLine]:
    """The runs after a run, which need not have come yet."""
    place = place_of(lines, run)
    return [line for line in lines if line.order > place]


def runs_like(lines: Sequence[RunLine], run: str) -> list[RunLine]:
    """Other runs whose labels mean the same, or differ only in capitals or a dot at the end."""
    place, folded = sort_bytes(run), _folded(run)
    return [line for line in lines if line.run != run and (line.order == place or _folded(line.run) == folded)]


def _folded(label: str) -> str:
    return label.casefold().rstrip(". ")


def place_of(lines: Sequence[RunLine], run: str) -> bytes:
    """The sort key of a run, which need not have come yet."""
    there = next((line.order for line in lines if line.run == run), None)
    if there is not None:
        return there
    return b"\1" if is_by_arrival(lines) else sort_bytes(run)
