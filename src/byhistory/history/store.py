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

    What is not there is left out of an answer: a run that is not stored, a column that a run did not have. Runs are
    always in run order (`byhistory.profile.past.run_key`), whatever order they arrived in; decisions and settings are
    in the order in which they were made. Every record carries a checksum. A record that does not match its checksum is
    never used: it raises an error that names the table and the run.
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
        """Every run of a table, or only the `last` ones, as many as that says, without their large parts."""

    def state(self, table: str) -> str:
        """A text that changes whenever anything about a table changes, except its programs."""

    def states(self) -> dict[str, str]:
        """The state of every table that has runs."""
        return {table: self.state(table) for table in self.tables()}

    def record(self, run: Run, programs: Programs | None = None, seen: str | None = None) -> bool:
        """Store a run and the programs learned with it; returns whether an earlier record of the run was replaced.

        Decisions on the earlier record stay, and hold if the data look the same. The programs replace those that the
        table had, but only if its `state` is still the one `seen` before they were learned; else only the run is
        stored.
        """

    def load(self, table: str, runs: Sequence[str], columns: Sequence[str] | None = None) -> list[Run]:
        """The named runs, with the profiles of all columns or only of those named; none for `columns=()`."""

    def measures(self, table: str, runs: Sequence[str] | None = None) -> dict[str, bytes]:
        """The measures of some runs (by default all), by run."""

    def programs(self, table: str) -> Programs | None:
        """The programs stored last; None if there are none, or if they are damaged, as they can be learned again."""

    def save_programs(self, programs: Programs, seen: str | None = None) -> bool:
        """Store programs without a run, in place of those that the table had; returns whether they were stored.

        They are not stored if the table's `state` is no longer the one `seen` before they were learned.
        """

    def decide(self, decision: Decision) -> Decision:
        """Add a decision to the earlier ones, and return it bound to the run's record as it is now.

        It is an error if there is no such run, or if the decision names a record that has been replaced since.
        """

    def decisions(self, table: str) -> list[Decision]:
        """Every decision on runs of the table."""

    def settings(self, table: str) -> dict[str, Setting]:
        """The settings of a table that hold now, by name."""

    def setting_changes(self, table: str) -> list[Setting]:
        """Every setting that ever held, with who made it and when."""

    def put_setting(self, setting: Setting) -> None:
        """Let a setting hold from now on; the one before stays in `setting_changes`."""

    def forget(self, table: str, run: str) -> bool:
        """Delete a run, its profiles and the decisions on it for good; returns whether there was one."""

    def damage(self) -> list[str]:
        """What is wrong with the files of the store itself, as the database or file system describes it."""
        return []

    def snapshot(self) -> AbstractContextManager[object]:
        """A block in which all reads of this thread see the store as of one moment, if the store is able to do that.

        Reads in the block share one transaction, so that they are faster, too. Do not write or do slow work in it.
        """
        return nullcontext()

    def close(self) -> None:
        """Close files and connections; a closed store must not be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
