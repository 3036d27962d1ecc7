"""The room of records: what is kept about tables and runs, to be read, verified or forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from byhistory.errors import ByHistoryError
from byhistory.history import RunLine, Store, TableLine
from byhistory.history.verify import Soundness, verify
from byhistory.profile import TableProfile, from_bytes
from byhistory.validator.column import ColumnPicture, column_picture
from byhistory.validator.found import found_in
from byhistory.validator.guarded import Guarded
from byhistory.validator.learning import Progress
from byhistory.validator.story import story_of

if TYPE_CHECKING:
    from byhistory.report import Story


@dataclass(frozen=True, slots=True)
class Records:
    """What the store has about tables and their runs: `guard.records`.

    >>> from byhistory import Config, Validator, profile_table
    >>> guard = Validator("memory:", config=Config())
    >>> _ = guard.judge(profile_table({"n": [1, 2, 3]}, run="2026-11-15"), "orders")
    >>> guard.records.tables(), [(line.run, line.rows) for line in guard.records.runs("orders")]
    (['orders'], [('2026-11-15', 3)])
    >>> guard.records.forget("orders", "2026-11-15"), guard.records.has_run("orders", "2026-11-15")
    (True, False)
    """

    store: Store
    guarded: Callable[[str], Guarded]

    @property
    def where(self) -> str:
        """Where the history is kept, as text for people; a password in the address is left out."""
        return repr(self.store)

    def tables(self) -> list[str]:
        """The names of the tables that have a history."""
        return self.store.tables()

    def overview(self) -> list[TableLine]:
        """The tables that have a history, each with its first and its last run."""
        return self.store.overview()

    def runs(self, table: str) -> list[RunLine]:
        """The runs of a table, oldest first, each with what it was judged to be and what was decided about it."""
        return self.store.runs(table)

    def learned_runs(self, table: str) -> tuple[RunLine, ...]:
        """The runs that the next one is judged by, oldest first."""
        return self.guarded(table).memory().runs

    def has_run(self, table: str, run: str) -> bool:
        """Whether a run is on record; takes the same time however many runs there are, unlike `runs`."""
        return bool(self.store.load(table, [run], ()))

    def found_in(self, table: str) -> dict[str, tuple[str, ...]]:
        """For each run that was warned about or stopped, the columns in which something was found."""
        return found_in(self.store, table)

    def profile_of(self, table: str, run: str, columns: Sequence[str] | None = None) -> TableProfile:
        """The stored profile of a run, of all its columns or only of those named."""
        found = self.store.load(table, [run], columns)
        if not found:
            raise ByHistoryError(f"show run {run!r} of {table!r}", "no such run", "name one that `runs` lists")
        return TableProfile(run, found[0].rows, {n: from_bytes(b) for n, b in found[0].columns.items()})

    def story(self, table: str, run: str | None = None, show_values: bool = False) -> Story:
        """A stored run (by default the latest) with its verdict and its past, for `byhistory.report` to show.

        With `show_values`, values of the data such as frequent categories are part of it.
        """
        return story_of(self.guarded(table), run, show_values)

    def column(self, table: str, column: str, metric: str | None = None, last: int | None = None) -> ColumnPicture:
        """A metric of a column over the `last` runs (by default all), with what is usual, and what each run became."""
        return column_picture(self.guarded(table), column, metric, last)

    def keep(self, table: str, name: str, text: str, *, who: str = "") -> None:
        """Store a text about a table under a name, in place of an earlier one: its run column, for example."""
        self.guarded(table).keep(name, text, who)

    def kept(self, table: str, name: str) -> str | None:
        """The text that `keep` stored under this name; None if there is none."""
        setting = self.store.settings(table).get(name)
        return None if setting is None else setting.text

    def verify(self, progress: Progress | None = None) -> Soundness:
        """Read the whole store and compare every checksum: how much is sound, and what is damaged."""
        return verify(self.store, progress)

    def forget(self, table: str, run: str) -> bool:
        """Delete a run and the decisions on it for good; whether there was one."""
        return self.store.forget(table, run)
