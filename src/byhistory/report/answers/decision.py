"""A decision about a run: what it changes, and for how long anything is judged more weakly because of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from byhistory.alarms import ROWS, Alarm
from byhistory.constraints import LEVELS
from byhistory.plain import plural, some_of, word
from byhistory.series.level import FIRST
from byhistory.verdict import Verdict

if TYPE_CHECKING:
    from byhistory.history import RunLine

_NAMED = 3
"""How many columns one line names, by choice."""
_MEANS = {
    "accepted": "what was found is forgiven: it is not learned from, and nothing widens",
    "usual": "what was found may happen again: it is a second level, beside what was usual before",
    "new normal": "a new level from there on, with the spread as it was known: judged from the next run on",
    "rejected": "nothing of the run is learned from; the same data, delivered again for it, stop",
    "undone": "as if it had not been said",
}
_STOPPED = "is still stopped"
_LEVELS = {"as usual": "passes now", "warn": "is warned about now", "stop": _STOPPED}


def decided(
    table: str,
    run: str,
    what: str,
    *,
    about: Sequence[Alarm],
    named: Sequence[str] = (),
    repeated: Verdict | None,
    good: int,
    window: int,
) -> str:
    """What was decided, what passes now, and for how long anything is judged more weakly.

    `what` is one of accepted, usual, new normal, rejected and undone, or begins with snoozed. `about` are the alarms
    that showed in the run, in the columns that were `named` if there are any; `repeated` is the verdict on the same
    data delivered once more (None if there is no alarm), `good` the runs that were learned from, and `window` how many
    are looked back at.
    """
    lines = [_MEANS[what]] if what in _MEANS else []
    shown = [word(c) if c else a.place_in_table for a in about for c in (a.levelled or a.columns)]
    places = [word(c) for c in named] or shown
    if places:
        lines.append(f"about: {', '.join(dict.fromkeys(places))}")
    weaker = _weaker(about, what, window)
    if repeated is not None:
        same = _same_again(about, repeated)
        stays = " (if it is to stay: accept --new-normal)" if what == "accepted" and same.startswith(_STOPPED) else ""
        lines.append(f"from now on: the same again {same}{stays}; {weaker}")
    else:
        lines.append(f"from now on: nothing unusual was found in that run; {weaker}")
    lines.append(f"{what}: {word(table)} {word(run)}; learned again from {plural(good, 'run')}")
    return "\n".join(lines)


def in_a_line(line: RunLine) -> str:
    """What a person decided about a run, by whom, when and why; empty if nobody did."""
    d = line.decision
    if d is None:
        return ""
    about = f" for {', '.join(d.columns)}" if d.columns else ""
    why = f": {d.why}" if d.why else ""
    return f"{d.what}{about} by {d.who}, {d.at:%Y-%m-%d %H:%M} UTC{why}"


def _same_again(about: Sequence[Alarm], repeated: Verdict) -> str:
    """What becomes of the same data where an alarm was, and in which columns if not all pass.

    Other columns are left out: yesterday's dates and numbers would not be as usual tomorrow, whatever was answered.
    """
    columns_of_alarms = {c for a in about for c in a.columns}
    found = [f for f in repeated.findings if not columns_of_alarms or (f.column or ROWS) in columns_of_alarms]
    level = max((f.level for f in found), key=LEVELS.index, default="as usual")
    columns = list(dict.fromkeys(f.column for f in found if f.column and f.level == level != "as usual"))
    where = f" ({some_of([word(c) for c in columns], _NAMED)})" if columns else ""
    return f"{_LEVELS[level]}{where}"


def _weaker(about: Sequence[Alarm], what: str, window: int) -> str:
    """For how long anything is judged more weakly because of an answer."""
    if what == "usual":
        return f"what is as usual, or as in that run, passes until {plural(window, 'more run')} have come"
    if what == "new normal":
        since = max((len(a.runs) for a in about), default=1)
        left = FIRST - since
        known = f"the level is known from {plural(since, 'run')}"
        return f"{known}, and more exactly by the next {left}" if left > 0 else known
    if what.startswith("snoozed"):
        return f"it stops nothing {what.removeprefix('snoozed ')}, and nothing else is judged more weakly"
    return "nothing is judged more weakly"
