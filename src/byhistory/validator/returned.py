"""Is a run that stops by one level as usual by the other, while nobody has said which is right?

A change that nobody answers becomes the usual level by itself, after a few runs. Until somebody says that it is right,
a run that goes back to the level before it is no news, nor is one that comes again: it is judged by both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from byhistory.alarms import ROWS, Alarm
from byhistory.learners import Program
from byhistory.metrics import Measures
from byhistory.plain import some_of
from byhistory.validator.memory import Memory
from byhistory.verdict import Finding, Past, Verdict

_ROWS_METRIC = "row_count"
_NAMED = 3
"""Columns that are named, by choice."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and what the run was judged by: the runs before, the programs and what the metrics read."""

    verdict: Verdict
    memory: Memory
    past: Past
    programs: Mapping[str, Program]
    measures: Measures

    @property
    def returned(self) -> tuple[str, ...]:
        """Columns that were judged by their level before one that nobody has confirmed."""
        return self.memory.returned


def or_by_other_level(
    judged: Judgement, alarms: Collection[Alarm], judge_by: Callable[[Collection[str]], Judgement]
) -> Judgement:
    """The judgement; of the columns that it stops, and that have a level which nobody confirmed, the one by the other.

    What the run before was judged by comes first: the new level, or the old one if that run had gone back. Only where
    the other level can tell, and stops nothing, does it count: what is neither is judged as ever. `judge_by` judges
    with these columns at their old level.
    """
    unconfirmed = {column for alarm in alarms if alarm.state == "adapted" for column in alarm.levelled}
    asked = unconfirmed & _stopping(judged.verdict)
    while asked:
        other = judge_by(asked.symmetric_difference(judged.returned))
        stops = _stopping(other.verdict)
        fits = {place for place in asked if place not in stops and _is_told(other, place)}
        if fits == asked:
            return other
        asked = fits
    return judged


def notes(alarms: Collection[Alarm], returned: Collection[str]) -> list[Finding]:
    """That columns have gone from one level to the other; `alarms` are as of the run before."""
    found = []
    for alarm in alarms:
        if alarm.state == "adapted":
            back = [c for c in alarm.levelled if c in returned and c not in alarm.away]
            again = [c for c in alarm.away if c not in returned]
            found += [_note(back, f"back to usual, as before {alarm.opened}")] if back else []
            found += [_note(again, f"as since {alarm.opened} again")] if again else []
    return found


def _note(columns: Collection[str], what: str) -> Finding:
    named = some_of([column or "the number of rows" for column in columns], _NAMED)
    return Finding("alarm", "", f"{named} {'is' if len(columns) == 1 else 'are'} {what}", "as usual")


def _stopping(verdict: Verdict) -> set[str]:
    """The columns that stop the run, and `ROWS` where their number does."""
    clauses = ((f.column, f.outcome.constraint.metric) for f in verdict.findings if f.stops and f.outcome is not None)
    return {ROWS if metric == _ROWS_METRIC else column for column, metric in clauses}


def _is_told(judged: Judgement, place: str) -> bool:
    """Whether enough runs are known of before, and everything could be judged by them."""
    if place == ROWS:
        return all(p.is_ready for p in judged.programs.values() if p.carries_rows)
    program, verdict = judged.programs.get(place), judged.verdict.columns.get(place)
    return program is not None and program.is_ready and verdict is not None and not verdict.newly_undefined
