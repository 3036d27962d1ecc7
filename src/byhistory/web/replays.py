"""What other budgets would have stopped: every past run is judged again, in the background as it takes seconds."""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Lock

from byhistory.constraints.words import percent
from byhistory.errors import ByHistoryError
from byhistory.validator import Backtest, Validator
from byhistory.web.watch import Watch

_LOG = logging.getLogger("byhistory.web")
SPACE = 64
"""How many tables' replays are kept, by choice."""


@dataclass(frozen=True, slots=True)
class BudgetReplay:
    """What one budget would have stopped in the past."""

    budget: float
    judged: int
    stopped: tuple[str, ...]
    caught: str

    @property
    def budget_words(self) -> str:
        """The budget as a share, for people."""
        return percent(self.budget)

    @staticmethod
    def of(replay: Backtest) -> BudgetReplay:
        """The result of one backtest; `caught` is the mean over the types of faults."""
        caught = [share for share in replay.caught.values() if math.isfinite(share)]
        mean = percent(sum(caught) / len(caught)) if caught else "not known"
        return BudgetReplay(replay.budget, len(replay.runs), tuple(r.run for r in replay.runs if r.broken), mean)


class Replays:
    """The replays of some tables, one budget after the other. It is a class because it keeps them, with a thread."""

    def __init__(self, guard: Validator, watch: Watch) -> None:
        self._guard, self._watch = guard, watch
        self._found: OrderedDict[Hashable, list[BudgetReplay]] = OrderedDict()
        self._lock = Lock()
        self._is_over = Event()
        self._work = ThreadPoolExecutor(1, "byhistory-replay")

    def stop(self) -> None:
        """Stop after the budget that is being measured."""
        self._is_over.set()
        self._work.shutdown(wait=False, cancel_futures=True)

    def get(self, table: str, budgets: Sequence[float], version: Hashable) -> list[BudgetReplay]:
        """What is measured so far. The first call starts measuring; open pages get news after every budget."""
        key = (table, tuple(budgets), version)
        with self._lock:
            is_new = key not in self._found
            found = self._found.setdefault(key, [])
            self._found.move_to_end(key)
            while len(self._found) > SPACE:
                self._found.popitem(last=False)
        if is_new:
            self._work.submit(self._measure, table, budgets, key)
        return sorted(found, key=lambda one: one.budget)

    def _measure(self, table: str, budgets: Sequence[float], key: Hashable) -> None:
        for budget in budgets:
            if self._is_over.is_set():
                return
            try:
                one = BudgetReplay.of(self._guard.learning.backtest(table, budget))
            except ByHistoryError as why:
                _LOG.warning("%s", why)
                with self._lock:
                    self._found.pop(key, None)  # the next call tries again
                return
            with self._lock:
                self._found.setdefault(key, []).append(one)
            self._watch.tell(table)
