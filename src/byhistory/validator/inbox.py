"""What waits for an answer, over all tables?"""

from __future__ import annotations

from dataclasses import dataclass

from byhistory.alarms import Alarm
from byhistory.validator.guarded import Guarded


@dataclass(frozen=True, slots=True)
class Waiting:
    """An alarm of a table that somebody should answer, by naming its latest `run`."""

    table: str
    alarm: Alarm

    @property
    def run(self) -> str:
        """The latest run that showed it."""
        return self.alarm.runs[-1]


def waiting(of: Guarded, *, ended: bool = False) -> list[Waiting]:
    """The alarms of a table that wait, those that stop first; with `ended` also those that ended unanswered."""
    alarms = [a for a in of.memory().alarms if a.is_waiting or (ended and a.state == "back")]
    return [Waiting(of.table, a) for a in sorted(alarms, key=lambda a: (bool(a.ended), a.level != "stop"))]
