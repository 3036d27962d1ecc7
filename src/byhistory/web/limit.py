"""How often may somebody try to sign in?"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

TRIES, SECONDS = 5, 60.0
"""How many failed tries an address has within how many seconds before it has to wait (by choice)."""
ADDRESSES = 10_000
"""How many addresses are remembered, by choice; with more, those that were quiet longest are forgotten."""


class Limit:
    """Counts failed tries by address. It is a class because it remembers them, as long as the process lives."""

    def __init__(self, tries: int = TRIES, seconds: float = SECONDS) -> None:
        self._tries, self._seconds = tries, seconds
        self._failed: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def wait(self, address: str, now: float) -> float:
        """Seconds that an address has to wait; 0 if it may try.

        >>> limit = Limit(tries=2, seconds=60)
        >>> limit.fail("a", 0.0), limit.fail("a", 10.0), limit.wait("a", 20.0), limit.wait("b", 20.0)
        (None, None, 40.0, 0.0)
        """
        with self._lock:
            recent = [t for t in self._failed.get(address, ()) if now - t < self._seconds]
            return recent[-self._tries] + self._seconds - now if len(recent) >= self._tries else 0.0

    def fail(self, address: str, now: float) -> None:
        """Remember a failed try."""
        with self._lock:
            recent = [t for t in self._failed.pop(address, []) if now - t < self._seconds]
            self._failed[address] = [*recent, now][-self._tries :]
            while len(self._failed) > ADDRESSES:
                self._failed.popitem(last=False)
