"""What waits for an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.validator import Validator
    from byhistory.validator.inbox import Waiting

EXAMPLES = """
byhistory inbox
byhistory inbox orders visits --all
byhistory inbox --accept 1,3 --why "a holiday" --who ann
byhistory inbox --new-normal 2 --why "prices are in cents"
"""

_SAID = {"accept": "accepted", "usual": "usual", "new normal": "new normal", "reject": "rejected"}
_NAMED = 3
"""Columns of one alarm that are named."""


def run(
    ctx: typer.Context,
    tables: Annotated[list[str] | None, typer.Argument(metavar="TABLE", help="Default: all tables.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also alarms that ended unanswered.")] = False,
    accept: Annotated[str, typer.Option(metavar="N,N", help="Accept these lines: fine, and forgiven.")] = "",
    usual: Annotated[str, typer.Option(metavar="N,N", help="These may happen again: learn from them.")] = "",
    new_normal: Annotated[str, typer.Option(metavar="N,N", help="Declare these lines the new normal.")] = "",
    reject: Annotated[str, typer.Option(metavar="N,N", help="Reject the runs of these lines.")] = "",
    why: o.Why = "",
    who: o.Who = "",
    json: o.Json = False,
) -> None:
    """List what waits for an answer, one line per cause, over all tables; many can be answered at once.

    Lines are numbered: answer some of them with --accept, --usual, --new-normal or --reject, or one run with the
    commands `accept` and `reject`.
    """
    from byhistory.cli._decided import decided
    from byhistory.cli._say import document, say
    from byhistory.plain import as_json, plural
    from byhistory.validator.as_json import alarm_as_json

    with opened(ctx) as guard:
        for name in tables or ():
            must_know(guard, name, f"list what waits of {name!r}")
        lines = guard.decisions.inbox(tables or None, ended=all_)
        given = {"accept": accept, "usual": usual, "new normal": new_normal, "reject": reject}
        asked = {what: _numbers(text, lines) for what, text in given.items()}
        answered = 0
        for what, chosen in asked.items():
            for line in chosen:
                answer_line(guard, line, what, why, who)
                answered += 1
                if not json:
                    decided(guard, line.table, line.run, _SAID[what])
    if json:
        waiting = [{"table": line.table, **alarm_as_json(line.alarm)} for line in lines]
        document(as_json({"byhistory_inbox": 1, "waiting": waiting}))
        return
    if answered:
        say(f"answered: {plural(answered, 'alarm')}; {plural(len(lines) - answered, 'alarm')} left")
        return
    say(in_words(lines))


def in_words(lines: list[Waiting]) -> str:
    """The list as a table, and what it comes to in the last line."""
    from byhistory.plain import plural

    if not lines:
        return "inbox: nothing waits for an answer"
    of = f"in {plural(len({line.table for line in lines}), 'table')}"
    return f"{_table(lines)}\ninbox: {plural(len(lines), 'alarm')} {of}"


def _numbers(text: str, lines: list[Waiting]) -> list[Waiting]:
    chosen = []
    for word in (w.strip() for w in text.split(",") if w.strip()):
        if not (word.isascii() and word.isdigit() and 1 <= int(word) <= len(lines)):
            todo = f"give numbers from 1 to {len(lines)}" if lines else "there is nothing to answer"
            raise ByHistoryError("answer lines of the inbox", f"the line {word!r}", todo)
        chosen.append(lines[int(word) - 1])
    return chosen


def answer_line(guard: Validator, line: Waiting, what: str, why: str, who: str) -> None:
    """Answer one line: about its own columns only."""
    from byhistory.alarms import ROWS

    if what == "reject":
        guard.decisions.reject(line.table, line.run, why=why, who=who)
    else:
        is_level_of_rows = what == "new normal" and ROWS in line.alarm.columns  # which are no column to name
        columns = [] if is_level_of_rows else [c for c in line.alarm.columns if c]
        how = {"usual": what == "usual", "new_normal": what == "new normal"}
        guard.decisions.accept(line.table, line.run, why=why, who=who, columns=columns, **how)


def _table(lines: list[Waiting]) -> str:
    from byhistory.cli._say import table

    rows = [
        (i, line.table, line.alarm.opened, len(line.alarm.runs), _state(line), _what(line))
        for i, line in enumerate(lines, 1)
    ]
    return table(["#", "table", "since", "runs", "state", "what"], rows, right=["#", "runs"])


def _what(line: Waiting) -> str:
    """Where it is and what leads; what moved with it, and how rare that is, are told by the run itself."""
    from byhistory.plain import some_of

    cause, columns = line.alarm.cause, [c for c in line.alarm.columns if c]
    lead = cause.sentence.partition("; ")[0].partition(", and with it")[0]
    is_named = cause.about != "constraint" or "" in line.alarm.columns or not columns
    return lead if is_named else f"{some_of(columns, _NAMED)}: {lead}"


def _state(line: Waiting) -> str:
    alarm = line.alarm
    if alarm.state == "adapted":
        return "taken over, unanswered"
    if alarm.ended:
        return f"back since {alarm.ended}"
    return "stops" if alarm.level == "stop" else "warns"
