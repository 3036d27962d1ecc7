"""Which columns were not judged in full, or by fewer runs than there are?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from byhistory.alarms import ROWS, called_usual
from byhistory.errors import ByHistoryError
from byhistory.history import RunLine, runs_before
from byhistory.learners import NEEDED_RUNS, Program
from byhistory.profile import TableProfile
from byhistory.profile.kind import is_opaque
from byhistory.validator.memory import Memory
from byhistory.verdict import Unjudged, Verdict


def unjudged(
    verdict: Verdict, profile: TableProfile, programs: Mapping[str, Program], memory: Memory
) -> tuple[Unjudged, ...]:
    """What a verdict does not vouch for, column by column; while there is no history, only columns that were not
    read.
    """
    there = "only that it is there is judged: its values could not be read (type: {})".format
    left_out = [Unjudged(name, there(type_)) for name, type_ in profile.unread]
    if verdict.is_learning:
        return tuple(left_out)
    widened = _widened(memory)
    found = [
        Unjudged(name, why)
        for name in profile
        if name not in dict(profile.unread)
        for why in _of_column(verdict, profile, name, programs.get(name), memory)
    ]
    for name in (*profile, ROWS):
        if name in widened:
            found.append(Unjudged(_shown(name), f"may also be as in run {widened[name]}, which was called usual"))
            if name in memory.returned:  # judged by those runs for once, which is no new level
                continue
        found += [Unjudged(_shown(name), why) for why in _new_level(name, memory)]
    return (*left_out, *found)


def _of_column(
    verdict: Verdict, profile: TableProfile, name: str, program: Program | None, memory: Memory
) -> Iterator[str]:
    column = profile[name]
    if is_opaque(column.kind, column.type):
        yield f"only presence, nulls and size are judged, of {column.type}"
    if program is None or not (program.is_ready or program.clauses):
        state = verdict.columns[name].state if name in verdict.columns else "no program"
        yield f"not judged: {state}"
        return
    there = min(len(memory.runs), memory.wanted)
    if program.runs < there:
        yield f"judged by {program.runs} of {there} runs"


def _new_level(name: str, memory: Memory) -> Iterator[str]:
    """A word on a new level, until it has as many runs of its own as a program needs."""
    at = {line.run: i for i, line in enumerate(memory.runs)}
    begins = [at[level[0]] for level in memory.lessons.levels_of(name) if level[0] in at]
    if begins and (own := len(memory.runs) - max(begins)) < NEEDED_RUNS:
        so_far = "its only run so far" if own == 1 else f"{own} runs so far"
        yield f"judged on a new level since run {memory.runs[max(begins)].run}, {so_far}"


def _widened(memory: Memory) -> dict[str, str]:
    """The columns in which something was found and called usual, each with the last run of which that was said."""
    used = {line.run for line in memory.runs}
    runs = ((column, [run for run in of if run in used]) for column, of in called_usual(memory.entries).items())
    return {column: of[-1] for column, of in runs if of}


def _shown(name: str) -> str:
    return "" if name == ROWS else name


def must_have_past(memory: Memory, lines: Sequence[RunLine], run: str) -> None:
    """Raise an error if there was a history and nothing of it is left to judge a run by: that is not "learning".

    `lines` are all runs on record. Programs and decisions are kept only where there were runs.
    """
    if memory.runs:
        return
    asked = f"judge the run {run!r} of {memory.table!r} by the runs before it"
    before = len(runs_before(lines, run))
    if before >= NEEDED_RUNS:
        found = f"{before} runs, none of which may be learned from"
        raise ByHistoryError(asked, found, "accept those that were fine, or backfill good ones")
    if not lines and (memory.store.programs(memory.table) is not None or memory.store.decisions(memory.table)):
        found = "an empty history where there was one: what was learned or decided is there, and no run"
        raise ByHistoryError(asked, found, "restore the store from a backup, or backfill the past runs to begin anew")
