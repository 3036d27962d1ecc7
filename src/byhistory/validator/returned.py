"""Is a run that stops by one level as usual by the other, while nobody has said which is right?

A change that nobody answers becomes the usual level by itself, after a few runs. Until somebody says that it is right,
a run that goes back to the level before it is no news, nor is one that comes again: it is judged by both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from byhistory.alarms import ROWS, Alarm, called_usual, unconfirmed
from byhistory.constraints import LEVELS, Level
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
    """The judgement; of columns that are not as usual, and that have another level as well, the one by that.

    A level that nobody confirmed has the one before it beside it. What the run before was judged by comes first: the
    new level, or the old one if that run had gone back; the other counts only for what stops, and for what moved to its
    new level in the same run as that. Runs that somebody called usual are another level, too, by which the same again
    passes, and is not warned about either. Only where the other level can tell, and it is less bad there, does it
    count: what is neither is judged as ever. `judge_by` judges with these columns at their other level.
    """
    remembered = {line.run for line in judged.memory.runs}
    called = called_usual(judged.memory.entries).items()
    now, usual = _levels(judged.verdict), {column for column, runs in called if runs[0] in remembered}
    stopped = {place for place, level in now.items() if level == "stop"}
    began = {alarm.opened for alarm in alarms if stopped & unconfirmed([alarm])}
    asked = (unconfirmed(alarm for alarm in alarms if alarm.opened in began) | usual) & now.keys()
    while asked:
        other = judge_by(asked.symmetric_difference(judged.returned))
        then = _levels(other.verdict)
        fits = {place for place in asked if _is_less(then.get(place), now[place]) and _can_judge(other, place)}
        if fits == asked:
            return other
        asked = fits
    return judged


def notes(alarms: Collection[Alarm], returned: Collection[str], usual: Mapping[str, Sequence[str]]) -> list[Finding]:
    """That columns have gone from one level to the other; `alarms` and what was called `usual` are as of before."""
    of_usual: dict[str, list[str]] = {}
    for column in returned:
        if column in usual and column not in unconfirmed(alarms):
            of_usual.setdefault(usual[column][-1], []).append(column)
    found = [_note(columns, f"as in {run}, which was called usual") for run, columns in of_usual.items()]
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


def _levels(verdict: Verdict) -> dict[str, Level]:
    """How bad the worst finding of each column is that has one, and of the number of rows (`ROWS`)."""
    worst: dict[str, Level] = {}
    for finding in verdict.findings:
        if finding.outcome is not None and finding.level != "as usual":
            place = ROWS if finding.outcome.constraint.metric == _ROWS_METRIC else finding.column
            worst[place] = max(worst.get(place, "warn"), finding.level, key=LEVELS.index)
    return worst


def _is_less(level: Level | None, than: Level) -> bool:
    return level is None or LEVELS.index(level) < LEVELS.index(than)


def _can_judge(judged: Judgement, place: str) -> bool:
    """Whether enough runs are known of before, and everything could be judged by them."""
    if place == ROWS:
        return all(p.is_ready for p in judged.programs.values() if p.carries_rows)
    program, verdict = judged.programs.get(place), judged.verdict.columns.get(place)
    return program is not None and program.is_ready and verdict is not None and not verdict.newly_undefined
