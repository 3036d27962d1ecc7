"""The past judged again: what would have been stopped, what would be caught, and how that fits the budget."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from byhistory.constraints.constraint import JOINT
from byhistory.constraints.words import percent
from byhistory.plain import as_json, plural, some_of, word
from byhistory.report.columns import bar

if TYPE_CHECKING:
    from byhistory.validator import Backtest
    from byhistory.validator.backtest import Replayed

_ROWS = "row_count"
_NAMED = 6
"""How many places a line names, by choice."""


def in_words(table: str, replay: Backtest) -> str:
    """The replay for a person, with bars; the last line is the answer."""
    if not replay.runs:
        return f"not enough history: {word(table)} has no run with enough runs before it to be judged by"
    lines = [f"{word(table)}: {plural(len(replay.runs), 'past run')} judged again, each by the runs before it", ""]
    stopped = [r for r in replay.runs if r.broken]
    lines.append(f"would have been stopped: {len(stopped)} of {len(replay.runs)}")
    lines += [f"  {word(r.run)}  {_broken(r)}" for r in stopped]
    lines += ["", "would be caught, of faults put into every column:"]
    width = max((len(type_) for type_ in replay.caught), default=0)
    lines += [f"  {t:<{width}}  {bar(share)} {percent(share)}" for t, share in replay.caught.items()]
    if not replay.caught:
        lines.append("  (not known: no run came with rows to put faults into)")
    rate, low, high = replay.rate
    what = "runs" if replay.per == "table" else "columns"
    lines += [
        "",
        f"measured: {replay.stopped:,} of {replay.judged:,} judged {what} would have been stopped: {percent(rate)} "
        f"(95 % interval {percent(low)} to {percent(high)}), where the budget is {percent(replay.budget)}",
    ]
    within = low <= replay.budget
    lines.append(f"{'within' if within else 'above'} the budget: {word(table)}, {plural(len(stopped), 'run')} stopped")
    return "\n".join(lines)


def _broken(run: Replayed) -> str:
    """What a run would have been stopped for: the number of rows once, and each column, with metrics of its own."""
    own: dict[str, list[str]] = {}
    for column, metric in run.broken:
        own.setdefault(column, []).extend([metric] if metric not in (JOINT, _ROWS) else [])
    is_of_rows = any(metric == _ROWS for _, metric in run.broken)
    columns = [f"{word(c)} ({', '.join(metrics)})" if metrics else word(c) for c, metrics in own.items()]
    return some_of([*(["the number of rows"] if is_of_rows else []), *columns], _NAMED)


def to_json(table: str, replay: Backtest) -> str:
    """The same for a program."""
    rate, low, high = (None if math.isnan(x) else x for x in replay.rate)
    body: dict[str, Any] = {
        "byhistory_backtest": 1,
        "table": table,
        "budget": replay.budget,
        "budget_per": replay.per,
        "judged_columns": sum(r.columns for r in replay.runs),
        "stopped_columns": sum(len(r.stopped) for r in replay.runs),
        "judged": replay.judged,
        "stopped": replay.stopped,
        "rate": rate,
        "rate_low": low,
        "rate_high": high,
        "runs": [
            {"run": r.run, "columns": r.columns, "broken": [{"column": c, "metric": m} for c, m in r.broken]}
            for r in replay.runs
        ],
        "caught": dict(replay.caught),
    }
    return as_json(body)
