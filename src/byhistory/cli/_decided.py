"""What accept, reject, snooze and undo answer: what changed, and how long anything is judged more weakly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byhistory.alarms import ROWS
from byhistory.cli._say import say, word
from byhistory.cli.runs import is_learned_from
from byhistory.constraints import LEVELS
from byhistory.plain import plural, some_of
from byhistory.series.level import FIRST

if TYPE_CHECKING:
    from byhistory.validator import Validator

_NAMED = 3
"""Columns that are named in one line."""

_MEANS = {
    "accepted": "what was found is forgiven: it is not learned from, and nothing widens",
    "usual": "what was found is learned from, and limits widen for it",
    "new normal": "a new level from there on, with the spread as it was known: judged from the next run on",
    "rejected": "nothing of the run is learned from; the same data, delivered again for it, stop",
    "undone": "as if it had not been said",
}
_STOPPED = "is still stopped"
_LEVELS = {"as usual": "passes now", "warn": "is warned about now", "stop": _STOPPED}


def decided(guard: Validator, table: str, run: str, what: str) -> None:
    """What was decided and what that means: what passes now, and how long anything is judged more weakly."""
    lines = guard.records.runs(table)
    if what in _MEANS:
        say(_MEANS[what])
    about = [a for a in guard.decisions.alarms(table) if run in a.runs]
    columns = [word(c) if c else "the number of rows" for a in about for c in (a.levelled or a.columns)]
    if columns:
        say(f"about: {', '.join(dict.fromkeys(columns))}")
    if about:
        same = _same_again(guard, table, run)
        stays = " (if it is to stay: accept --new-normal)" if what == "accepted" and same.startswith(_STOPPED) else ""
        say(f"from now on: the same again {same}{stays}; {_weaker(guard, table, run, what)}")
    else:
        say(f"from now on: nothing unusual was found in that run; {_weaker(guard, table, run, what)}")
    good = sum(map(is_learned_from, lines))
    say(f"{what}: {word(table)} {word(run)}; learned again from {plural(good, 'run')}")


def _same_again(guard: Validator, table: str, run: str) -> str:
    """What becomes of the same data where an alarm was, and in which columns if not all pass.

    Other columns are left out: yesterday's dates and numbers would not be as usual tomorrow, whatever was answered.
    """
    about = {c for a in guard.decisions.alarms(table) if run in a.runs for c in a.columns}
    verdict = guard.decisions.verdict_if_repeated(table, run)
    found = [f for f in verdict.findings if not about or (f.column or ROWS) in about]
    level = max((f.level for f in found), key=LEVELS.index, default="as usual")
    columns = list(dict.fromkeys(f.column for f in found if f.column and f.level == level != "as usual"))
    where = f" ({some_of([word(c) for c in columns], _NAMED)})" if columns else ""
    return f"{_LEVELS[level]}{where}"


def _weaker(guard: Validator, table: str, run: str, what: str) -> str:
    """How long anything is judged more weakly for an answer."""
    if what == "usual":
        window = guard.config.table(table).window
        return f"limits stay wider until {plural(window, 'more run')} have come"
    if what == "new normal":
        since = max((len(a.runs) for a in guard.decisions.alarms(table) if run in a.runs), default=1)
        left = FIRST - since
        told = f"the level is told by {plural(since, 'run')}"
        return f"{told}, and more exactly by the next {left}" if left > 0 else told
    if what.startswith("snoozed"):
        return f"it stops nothing {what.removeprefix('snoozed ')}, and nothing else is judged more weakly"
    return "nothing is judged more weakly"
