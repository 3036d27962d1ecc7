"""What was worked out for a page and still holds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

SPACE = 256
"""Things that are kept: some hundred kilobytes each at most."""


class Shelf:
    """The last results, by all that they depend on. A class because it keeps them."""

    def __init__(self, space: int = SPACE) -> None:
        self._space = space
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The kept result, or a new one.

        >>> shelf = Shelf()
        >>> shelf.get("a", lambda: 1), shelf.get("a", lambda: 2)
        (1, 1)
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._space:
                self._kept.popitem(last=False)
        return made
