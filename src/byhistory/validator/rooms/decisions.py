"""The room of alarms and answers: what waits, and what people say about runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from byhistory.alarms import ROWS, Alarm
from byhistory.errors import ByHistoryError, StoreError
from byhistory.history import Store
from byhistory.validator import decided
from byhistory.validator.guarded import Guarded
from byhistory.validator.inbox import Waiting, waiting
from byhistory.validator.preview import Preview, preview
from byhistory.validator.programs import relearn
from byhistory.validator.repeated import verdict_if_repeated
from byhistory.validator.standing import Standing, standing

if TYPE_CHECKING:
    from byhistory.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Decisions:
    """Alarms and what people say about them: `guard.decisions`. After an answer, what is usual is learned again.

    `why` and `who` are kept with an answer. It is about some `columns`, or about all that were found unusual if none is
    named.

    >>> from byhistory import Config, Validator, profile_table
    >>> guard = Validator("memory:", config=Config())
    >>> for day in range(10, 30):
    ...     _ = guard.judge(profile_table({"n": [day, 2, 3]}, run=f"2026-11-{day}"), "orders")
    >>> guard.judge(profile_table({"n": [None] * 3}, run="2026-11-30"), "orders").ok
    False
    >>> sorted({(w.table, w.run) for w in guard.decisions.inbox()})
    [('orders', '2026-11-30')]
    >>> guard.decisions.reject("orders", "2026-11-30", why="half a delivery", who="ann")
    >>> guard.decisions.inbox()
    []
    """

    store: Store
    guarded: Callable[[str], Guarded]

    def inbox(self, tables: Sequence[str] | None = None, *, ended: bool = False) -> list[Waiting]:
        """The alarms that wait for an answer, in all tables or in `tables`; with `ended`, also those that are over."""
        chosen = self.store.tables() if tables is None else tables
        return [w for table in chosen for w in waiting(self.guarded(table), ended=ended)]

    def alarms(self, table: str) -> tuple[Alarm, ...]:
        """Every alarm of a table in the order in which they opened, with what became of each."""
        return self.guarded(table).memory().alarms

    def standing(self, table: str) -> Standing:
        """The state of a table: its last runs, its alarms, and the runs that are due."""
        return standing(self.guarded(table))

    def accept(
        self,
        table: str,
        run: str,
        *,
        why: str = "",
        who: str = "",
        usual: bool = False,
        new_normal: bool = False,
        columns: Sequence[str] = (),
    ) -> None:
        """Say that a run was fine. What was unusual in it is forgiven once: it neither widens nor shifts what is usual.

        With `usual`, it counts as something that may happen again, and is learned from. With `new_normal`, the named
        columns (by default those found unusual) have a new level from this run on, and keep the spread that they had.
        """
        if usual and new_normal:
            todo = "say one: it may happen again, or it is how things are from now on"
            raise ByHistoryError(f"accept the run {run!r} of {table!r}", "both usual and new normal", todo)
        what = "new normal" if new_normal else "usual" if usual else "accept"
        self._decide(table, run, what, columns=columns, why=why, who=who)

    def reject(self, table: str, run: str, *, why: str = "", who: str = "") -> None:
        """Say that a run was bad, whatever it was judged to be, so that it is not learned from."""
        self._decide(table, run, "reject", why=why, who=who)

    def snooze(self, table: str, run: str, until: str, *, why: str = "", who: str = "") -> None:
        """Keep the alarms of a run from stopping anything up to the run labelled `until`; they are still reported."""
        self._decide(table, run, "snooze", until=until, why=why, who=who)

    def answer(self, line: Waiting, what: str, *, why: str = "", who: str = "") -> None:
        """Answer one line of the inbox with "accept", "usual", "new normal" or "reject": about its own columns only."""
        if what == "reject":
            self.reject(line.table, line.run, why=why, who=who)
            return
        is_level_of_rows = what == "new normal" and ROWS in line.alarm.columns  # which are no column to name
        columns = [] if is_level_of_rows else [c for c in line.alarm.columns if c]
        usual, new_normal = what == "usual", what == "new normal"
        self.accept(line.table, line.run, why=why, who=who, columns=columns, usual=usual, new_normal=new_normal)

    def undo(self, table: str, run: str, *, why: str = "", who: str = "") -> None:
        """Take back what was said last about a run."""
        self._decide(table, run, "undo", why=why, who=who)

    def preview(self, table: str, run: str, what: str, *, columns: Sequence[str] = (), until: str = "") -> Preview:
        """What would change if somebody decided `what` ("accept", "new normal", "undo", …); nothing is stored.

        `until` is the last run that a snooze is for.
        """
        return preview(self.guarded(table), run, what, columns=columns, until=until)

    def verdict_if_repeated(self, table: str, run: str) -> Verdict:
        """The verdict on a stored run if the same data came again as the next run; nothing is recorded.

        Asked after a decision, it shows what will pass from now on.
        """
        return verdict_if_repeated(self.guarded(table), run)

    def _decide(self, table: str, run: str, what: str, **more: Any) -> None:
        of = self.guarded(table)
        decided.decide(of, run, what, **more)
        # The decision is kept. If its programs are not, for a full disk, whoever needs them next learns them again.
        with suppress(StoreError):
            relearn(of)
