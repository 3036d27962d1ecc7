"""What would have happened?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.validator import Backtest

EXAMPLES = """
byhistory backtest orders
byhistory backtest orders --budget 0.01
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    budget: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="How often a good run may be stopped, to try. Default: as configured."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Replay the past: how many alarms there would have been, and what would be caught.

    Every run is judged by the runs before it; then faults are put into every column, and those caught are counted.
    """
    from byhistory.cli._progress import counting
    from byhistory.cli._say import document, say
    from byhistory.plain import as_json

    if budget is not None and not 0 < budget < 1:
        raise ByHistoryError(f"backtest {table!r}", f"--budget {budget}", "give a share between 0 and 1, such as 0.001")
    with opened(ctx) as guard:
        must_know(guard, table, f"backtest {table!r}")
        with counting("judging the past again", "runs") as progress:
            replay = guard.learning.backtest(table, budget, progress)
    if json:
        document(as_json(_json(table, replay)))
        return
    say(in_words(table, replay))


def in_words(table: str, replay: Backtest) -> str:
    """The replay for a person, with bars; the last line is the answer."""
    from byhistory.cli._say import bar, word
    from byhistory.constraints.words import percent
    from byhistory.plain import plural

    if not replay.runs:
        return f"not enough history: {word(table)} has no run with enough runs before it to be judged by"
    lines = [f"{word(table)}: {plural(len(replay.runs), 'past run')} judged again, each by the runs before it", ""]
    stopped = [r for r in replay.runs if r.broken]
    lines.append(f"would have been stopped: {len(stopped)} of {len(replay.runs)}")
    for r in stopped:
        columns: dict[str, list[str]] = {}
        for column, metric in r.broken:
            columns.setdefault(column, []).append(metric)
        told = ", ".join(f"{word(c)} ({', '.join(metrics)})" for c, metrics in columns.items())
        lines.append(f"  {word(r.run)}  {told}")
    lines += ["", "would be caught, of faults put into every column:"]
    width = max((len(type_) for type_ in replay.caught), default=0)
    lines += [f"  {t:<{width}}  {bar(share)} {percent(share)}" for t, share in replay.caught.items()]
    if not replay.caught:
        lines.append("  (not known: no run came with rows to put faults into)")
    rate, low, high = replay.rate
    lines += [
        "",
        f"measured: {replay.stopped:,} of {replay.judged:,} judged columns would have been stopped: {percent(rate)} "
        f"(95 % interval {percent(low)} to {percent(high)}), where the budget is {percent(replay.budget)}",
    ]
    within = low <= replay.budget
    lines.append(f"{'within' if within else 'above'} the budget: {word(table)}, {plural(len(stopped), 'run')} stopped")
    return "\n".join(lines)


def _json(table: str, replay: Backtest) -> dict[str, Any]:
    rate, low, high = (None if math.isnan(x) else x for x in replay.rate)
    return {
        "byhistory_backtest": 1,
        "table": table,
        "budget": replay.budget,
        "judged_columns": replay.judged,
        "stopped_columns": replay.stopped,
        "rate": rate,
        "rate_low": low,
        "rate_high": high,
        "runs": [
            {"run": r.run, "columns": r.columns, "broken": [{"column": c, "metric": m} for c, m in r.broken]}
            for r in replay.runs
        ],
        "caught": dict(replay.caught),
    }
