"""One table under guard."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timezone

from byhistory import inject, learners
from byhistory.config import TableConfig
from byhistory.history import RunLine, Setting, Store
from byhistory.inject import Fault
from byhistory.learners import Learner, by_name
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.validator.memory import Memory, recent_lines

Step = Callable[[str], AbstractContextManager[object]]
"""Called with the name of each step of a check, which then runs inside the result: a stopwatch, or a message."""


def utc_now() -> datetime:
    """The one clock; a test passes its own."""
    return datetime.now(timezone.utc)  # noqa: TID251 - see above


@dataclass(frozen=True, slots=True)
class Guarded:
    """A table, where its history is kept, what was configured for it, and what it is measured and judged with."""

    store: Store
    table: str
    config: TableConfig
    metrics: tuple[Metric, ...] = ALL_METRICS
    faults: tuple[Fault, ...] = inject.ALL
    learners: tuple[Learner, ...] = learners.ALL
    clock: Callable[[], datetime] = utc_now
    step: Step = nullcontext
    uses_kept: bool = False
    """Whether stored programs are used even if something was decided since, because somebody else learns again."""

    @property
    def learner(self) -> Learner:
        """The learner that the configuration names, with its prices."""
        return by_name(self.config.learner, self.learners).priced_by(self.config.prices)

    @property
    def names(self) -> Sequence[str]:
        """What a user may override: the metrics, and the clauses that are about more than one."""
        return [*(m.name for m in self.metrics), *self.learner.clause_names]

    def lines(self, run: str | None = None) -> list[RunLine]:
        """The last runs of the table, at least as many as are needed to judge one."""
        return recent_lines(self.store, self.table, run, self.config.window)

    def memory(
        self, before: str | None = None, lines: Sequence[RunLine] | None = None, returned: Collection[str] | None = None
    ) -> Memory:
        """The good runs before one, or all; of columns that have `returned`, those before their new level."""
        about = (self.store, self.table, before, self.config, self.learner)
        return Memory.of(*about, lines=lines, returned=returned)

    def keep(self, name: str, text: str, who: str = "") -> None:
        """Store a text about the table under a name, in place of an earlier one."""
        self.store.put_setting(Setting(self.table, name, text, who or user(), self.clock()))


def user() -> str:
    """The name of the user who runs this; in a container there is often none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
