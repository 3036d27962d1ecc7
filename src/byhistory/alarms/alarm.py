"""One alarm through its life: it opens at a run, is the same in the runs after, and ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from byhistory.alarms.cause import Cause
from byhistory.constraints import Level
from byhistory.verdict.repeated import REPEATED

State = Literal["open", "accepted", "usual", "new normal", "rejected", "adapted", "back"]
"""What has become of an alarm.

`open` waits for an answer. A person may have `accepted` its latest run, called it `usual`, declared it the `new normal`
or `rejected` it. `adapted`: nobody answered, and the new level was taken over. `back`: the change is gone.
"""
WAITING = ("open", "adapted")
"""The states in which somebody should answer."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A cause over time: the runs that showed it, oldest first, and what became of it.

    `columns` are all columns in which it was seen; `levelled` are those of them whose new level has become the usual
    one, because a person said so or because nobody answered. `returned` are later runs, each with a column that was as
    before that level then, and `away` the columns that still are. `ended` is the first run without the change, empty
    while it lasts. `normal_until` is the last run that existed when somebody declared a new normal. Up to the run
    labelled `snoozed_until` the alarm stops nothing; empty once a later run has shown it. `grown_at` is the index in
    `runs` at which it last spread to another column. `level` is what the latest run that showed it was judged for it.
    """

    cause: Cause
    runs: tuple[str, ...]
    columns: tuple[str, ...]
    state: State = "open"
    ended: str = ""
    levelled: tuple[str, ...] = ()
    returned: tuple[tuple[str, str], ...] = ()
    away: tuple[str, ...] = ()
    normal_until: str = ""
    snoozed_until: str = ""
    grown_at: int = 0
    level: Level = "stop"

    @property
    def opened(self) -> str:
        """The first run that showed it."""
        return self.runs[0]

    @property
    def alike(self) -> int:
        """How many runs in a row have shown it since it last spread to another column."""
        return len(self.runs) - self.grown_at

    @property
    def is_waiting(self) -> bool:
        """Whether somebody should answer."""
        return self.state in WAITING

    @property
    def place_in_table(self) -> str:
        """What it is about where it is about no column: `ROWS` in words."""
        return "the change of data from run to run" if self.cause.about == REPEATED else "the number of rows"
