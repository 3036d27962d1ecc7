"""The contract that every store keeps."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from byhistory.history.record import Decision, Programs, Run, RunLine, Setting, TableLine

if TYPE_CHECKING:
    from typing_extensions import Self


class Store(Protocol):
    """The past of many tables. Every method is one transaction: it happens as a whole or not at all.

    What is not there is left out of an answer: a run that is not kept, a column that a run did not have. Runs are
    always in run order (`byhistory.profile.past.run_key`), whatever order they arrived in; decisions and settings in
    the order in which they were made. Every record carries a checksum; one that does not match is an error that names
    the table and the run, and is never used.
    """

    def key(self) -> bytes:
        """32 secret bytes, made once and kept with the store: the key of all digests in it."""

    def tables(self) -> list[str]:
        """The tables that have runs, by name."""

    def overview(self) -> list[TableLine]:
        """The tables that have runs, by name, each with its first and its last run."""
        found = []
        for table in self.tables():
            lines = self.runs(table)
            if lines:
                found.append(TableLine(table, len(lines), lines[0].run, lines[-1].run, lines[-1].outcome))
        return found

    def runs(self, table: str, last: int | None = None) -> list[RunLine]:
        """Every run of a table, or so many of the last, without what is large."""

    def state(self, table: str) -> str:
        """A text that changes with everything that happens to a table, but for the programs that are kept of it."""

    def states(self) -> dict[str, str]:
        """The state of every table that has runs."""
        return {table: self.state(table) for table in self.tables()}

    def record(self, run: Run, programs: Programs | None = None, seen: str | None = None) -> bool:
        """Keep a run and the programs learned with it; whether an earlier record was replaced.

        Decisions on the earlier record stay, and hold if the data look the same. The programs replace those that the
        table had, unless its state is not the one that was `seen` before they were learned: then the run is kept alone.
        """

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        """Whole runs, or with the profiles of some columns only; with `columns=()` none is read."""

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        """The measures of some runs (or of all) by run."""

    def programs(self, table: str) -> Programs | None:
        """The programs that were kept last; None if there are none or they are damaged: they can be learned again."""

    def save_programs(self, programs: Programs, seen: str | None = None) -> bool:
        """Keep programs without a run, in place of those that the table had; whether they were kept.

        They are not if the table's state is not the one that was `seen` before they were learned.
        """

    def decide(self, decision: Decision) -> Decision:
        """Keep a decision beside the earlier ones, bound to the run's record as it is now: the one that is returned.

        An error if there is no such run, or if the decision names a record that is not the run's any more.
        """

    def decisions(self, table: str) -> list[Decision]:
        """Every decision on runs of the table."""

    def settings(self, table: str) -> dict[str, Setting]:
        """What holds now, by name."""

    def setting_changes(self, table: str) -> list[Setting]:
        """Everything that ever held."""

    def put_setting(self, setting: Setting) -> None:
        """Let a text hold from now on; what held before is kept in `setting_changes`."""

    def forget(self, table: str, run: str) -> bool:
        """Delete a run, its profiles and the decisions on it for good; whether there was one."""

    def damage(self) -> list[str]:
        """What is wrong with the files themselves, beside the records in them, in the words of who keeps them."""
        return []

    def together(self) -> AbstractContextManager[object]:
        """While it lasts, what this thread reads is of one moment, where a store can tell, and is asked for at once.

        Nothing is to be written meanwhile, and nothing slow to be done.
        """
        return nullcontext()

    def close(self) -> None:
        """Let go of files and connections; a closed store is not used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
