"""What waits for an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.validator.inbox import Waiting

EXAMPLES = """
byhistory inbox
byhistory inbox orders visits --all
byhistory inbox --accept 1,3 --why "a holiday" --who ann
byhistory inbox --new-normal 2 --why "prices are in cents"
"""

_DONE = {"accept": "accepted", "usual": "usual", "new normal": "new normal", "reject": "rejected"}


def run(
    ctx: typer.Context,
    tables: Annotated[list[str] | None, typer.Argument(metavar="TABLE", help="Default: all tables.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also alarms that ended unanswered.")] = False,
    accept: Annotated[str, typer.Option(metavar="N,N", help="Accept these lines: fine, and forgiven.")] = "",
    usual: Annotated[str, typer.Option(metavar="N,N", help="These may happen again: the same passes then.")] = "",
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
    from byhistory.plain import as_json
    from byhistory.report.answers import inbox
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
                guard.decisions.answer(line, what, why=why, who=who)
                answered += 1
                if not json:
                    decided(guard, line.table, line.run, _DONE[what])
        if answered:  # a rejected run answers its other lines, too
            lines = guard.decisions.inbox(tables or None, ended=all_)
    if json:
        waiting = [{"table": line.table, **alarm_as_json(line.alarm)} for line in lines]
        document(as_json({"byhistory_inbox": 1, "waiting": waiting}))
        return
    if answered:
        say(inbox.answered(answered, len(lines)))
        return
    say(inbox.in_words(lines))


def _numbers(text: str, lines: list[Waiting]) -> list[Waiting]:
    chosen = []
    for word in (w.strip() for w in text.split(",") if w.strip()):
        if not (word.isascii() and word.isdigit() and 1 <= int(word) <= len(lines)):
            todo = f"give numbers from 1 to {len(lines)}" if lines else "there is nothing to answer"
            raise ByHistoryError("answer lines of the inbox", f"the line {word!r}", todo)
        chosen.append(lines[int(word) - 1])
    return chosen
