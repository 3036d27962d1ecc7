"""Change what a table is judged by: budget, mute, pin, threshold, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.responses import RedirectResponse, Response

from byhistory.constraints.words import percent
from byhistory.errors import ByHistoryError, did_you_mean
from byhistory.history import Setting
from byhistory.learners import Override
from byhistory.plain import plain
from byhistory.validator.budgets import BUDGET, ENTRIES, parsed_budget
from byhistory.validator.override_codec import OVERRIDE, about_what, from_text
from byhistory.web.asking import Asked
from byhistory.web.links import link, parsed

WHAT = ("budget", "unset budget", "mute", "pin", "threshold", "unset")
LONGEST_REASON = 2_000
"""Characters, by choice: a screen of text."""
REASON = "reason"
"""The setting that keeps why the one before it was changed."""


def change(asked: Asked) -> Response:
    """Keep the setting and go back to the table."""
    table = asked.field("t")
    place = dict(parsed(asked.field("place")))  # a column and a metric that were chosen together
    names = ("low", "high", "budget", "warn_budget")
    given = {"column": place.get("c") or asked.field("c"), "metric": place.get("m") or asked.field("m").strip()}
    put(asked, asked.field("what"), table=table, **given, **{name: asked.field(name) for name in names})
    explain(asked, table, asked.field("why"))
    return RedirectResponse(link("/table", t=table) + "#settings", 303)


def explain(asked: Asked, table: str, why: str) -> None:
    """Keep the reason why a setting was just changed, and show both."""
    if why.strip():
        asked.guard.records.keep(table, REASON, why.strip()[:LONGEST_REASON], who=asked.visitor.name)
    asked.console.watch.look(table)


def put(
    asked: Asked,
    what: str,
    *,
    table: str,
    column: str = "",
    metric: str = "",
    low: str = "",
    high: str = "",
    budget: str = "",
    warn_budget: str = "",
) -> None:
    """Change a setting, for the pages and for machines alike."""
    guard, who = asked.guard, asked.visitor.name
    if not guard.store.runs(table, last=1):
        raise ByHistoryError(f"{what} of {table!r}", "no run of such a table", "name a table that there is")
    if what == "budget":
        shares = [_share(text) for text in (budget, warn_budget)]
        if shares == [None, None]:
            raise ByHistoryError(f"give {table!r} a budget", "no share", "write one, such as 0.01 or 1 %")
        guard.overrides.set_budget(table, *shares, who=who)
        asked.console.learning.ask(table)
    elif what == "unset budget":
        guard.overrides.clear_budget(table, who=who)
        asked.console.learning.ask(table)
    elif what in WHAT:
        ends = _ends(metric, low, high) if what == "threshold" else ()
        _override(asked, what, (table, column, metric), ends)
    else:
        raise ByHistoryError(f"change {table!r}", f"the word {what!r}", f"say one of {', '.join(WHAT)}")


def _override(asked: Asked, what: str, place: tuple[str, str, str], ends: Sequence[float]) -> None:
    guard, who = asked.guard, asked.visitor.name
    table, column, metric = place
    names = guard.guarded(table).names
    if metric not in names:
        raise ByHistoryError(
            f"{what} {metric!r}", f"no such metric{did_you_mean(metric, names)}", "name one that a clause has"
        )
    programs = guard.learning.programs(table)
    if what != "unset" and column != "*" and column not in programs:
        found = f"no column {column!r}{did_you_mean(column, programs)}"
        raise ByHistoryError(f"{what} {metric} of {column!r}", found, "name one that the table has, or * for all")
    if what == "threshold":
        guard.overrides.set_threshold(table, column, metric, *ends, who=who)
    else:
        do = {"mute": guard.overrides.mute, "pin": guard.overrides.pin, "unset": guard.overrides.clear}[what]
        do(table, column, metric, who=who)


def _ends(metric: str, low: str, high: str) -> tuple[float, float]:
    ends = _number(low, -math.inf), _number(high, math.inf)
    if ends == (-math.inf, math.inf) or ends[0] > ends[1]:
        todo = "give a low end, a high, or both"
        raise ByHistoryError(f"threshold of {metric}", f"low {low!r} and high {high!r}", todo)
    return ends


def _number(text: str, otherwise: float) -> float:
    if not text.strip():
        return otherwise
    try:
        value = float(text)
    except ValueError as why:
        raise ByHistoryError("read a threshold", f"{text!r}", "write a number, such as 0.5") from why
    if not math.isfinite(value):
        raise ByHistoryError("read a threshold", f"{text!r}", "leave an open end empty")
    return value


def _share(text: str) -> float | None:
    """A share as people write it: 0.02 or 2 %.

    >>> _share("0.02"), _share("2 %"), _share(" ")
    (0.02, 0.02, None)
    """
    bare = text.strip()
    if not bare:
        return None
    try:
        return float(bare.removesuffix("%")) / (100 if bare.endswith("%") else 1)
    except ValueError as why:
        raise ByHistoryError("read a budget", f"{plain(text)!r}", "write a share, such as 0.02 or 2 %") from why


@dataclass(frozen=True, slots=True)
class Changed:
    """One change of what a table is judged by, in words."""

    at: datetime
    who: str
    what: str
    why: str = ""


def changed(settings: Sequence[Setting], most: int = 20) -> list[Changed]:
    """Who changed what and why, the latest first, without what the console and `notify` keep for themselves."""
    found: list[Changed] = []
    for setting in settings:
        if setting.name == REASON and found:
            found[-1] = Changed(found[-1].at, found[-1].who, found[-1].what, setting.text)
        elif words := _in_words(setting):
            found.append(Changed(setting.at, setting.who, words))
    return list(reversed(found))[:most]


def _in_words(setting: Setting) -> str:
    """What a setting says; a page is shown whatever somebody has written into a store."""
    try:
        if setting.name == BUDGET:
            kept = parsed_budget(setting.table, setting.text)
            kept_budgets = [f"{name.replace('_', ' ')} {percent(kept[name])}" for name in ENTRIES if name in kept]
            return ", ".join(kept_budgets) or "budget as byhistory.toml says"
        if not setting.name.startswith(OVERRIDE):
            return ""
        column, metric = about_what(setting.name)
        decided = from_text(setting.text)
    except ByHistoryError as why:
        return f"a change that cannot be read: {plain(why.found, 80)}"
    about = f"{plain(metric, 40)} of {plain(column, 40)}"
    return f"{about}: {in_words(decided[0])}" if decided else f"{about}: unset"


def in_words(override: Override) -> str:
    """What was decided about a metric of a column."""
    if override.mute:
        return "muted"
    if override.pin is not None:
        return "pinned as it was"
    low = f"at least {override.low:g}" if math.isfinite(override.low) else ""
    high = f"at most {override.high:g}" if math.isfinite(override.high) else ""
    return "threshold: " + " and ".join(end for end in (low, high) if end)
