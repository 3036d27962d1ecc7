"""Results that were computed for a page and are still valid."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import BoundedSemaphore, Lock
from typing import Any

SPACE = 512
"""How many results are kept, by choice: each has a few hundred kilobytes at most."""
AT_ONCE = 2
"""How many results are computed at the same time, by choice: with more, quick pages would wait for all of them."""


class Cache:
    """The last results, by all that they depend on. It is a class because it keeps them."""

    def __init__(self, space: int = SPACE) -> None:
        self._space = space
        self._kept: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lock = Lock()
        self._turn = BoundedSemaphore(AT_ONCE)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The kept result, or a new one. A caller waits for a result that is just being made; errors are not kept.

        >>> cache = Cache()
        >>> cache.get("a", lambda: 1), cache.get("a", lambda: 2)
        (1, 1)
        """
        with self._lock:
            found = self._kept.get(key)
            is_mine = found is None
            if found is None:
                found = self._kept[key] = Future()
                while len(self._kept) > self._space:
                    self._kept.popitem(last=False)
            else:
                self._kept.move_to_end(key)
        if is_mine:
            self._make(key, make, found)
        return found.result()

    def _make(self, key: Hashable, make: Callable[[], Any], promised: Future[Any]) -> None:
        try:
            with self._turn:
                promised.set_result(make())
        except BaseException as why:  # whoever waits for it gets the same error
            with self._lock:
                self._kept.pop(key, None)
            promised.set_exception(why)
