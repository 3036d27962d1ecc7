"""What could go wrong?"""

from byhistory.inject.base import Fault, inject
from byhistory.inject.column import Column, with_neighbour
from byhistory.inject.faults import ALL
from byhistory.inject.respond import Responses, responses
from byhistory.profile import Kind


def of_kind(kind: Kind) -> tuple[Fault, ...]:
    """The faults that can happen to a column of this kind.

    >>> len(of_kind(Kind.NUMERIC)), len(of_kind(Kind.CATEGORICAL)), len(of_kind(Kind.TEMPORAL))
    (32, 36, 25)
    """
    return tuple(fault for fault in ALL if kind in fault.kinds)


__all__ = ["ALL", "Column", "Fault", "Responses", "inject", "of_kind", "responses", "with_neighbour"]
