"""Tell people what broke."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from byhistory.cli._settings import opened
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory notify
byhistory notify --level stop --level late
byhistory notify test
"""
_LEVELS = ("stop", "warn", "late")


def run(
    ctx: typer.Context,
    action: Annotated[str, typer.Argument(metavar="test", help="test: send a message that says it arrived.")] = "",
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="stop, warn or late; may be given many times. Default: all."),
    ] = None,
) -> None:
    """Send one message for each cause that was not sent yet, over all tables; run it after the checks.

    Where to is in BYHISTORY_NOTIFY, one address per line: slack://…, msteams://…, mailto://…, json://…, all that
    apprise knows, or command:PATH, which gets JSON on its input. The same alarm in later runs is held back. Links
    lead to the console at BYHISTORY_CONSOLE_URL. What was not delivered is listed, and tried again by the next call.
    """
    from byhistory.cli._say import note, say
    from byhistory.notify import channels, notify, send
    from byhistory.notify.send import CONSOLE, trial
    from byhistory.report.answers.console import sent as sent_in_words

    if action not in ("", "test"):
        raise ByHistoryError("notify", f"the word {action!r}", "say `byhistory notify` or `byhistory notify test`")
    if unknown := [name for name in level or () if name not in _LEVELS]:
        raise ByHistoryError("notify", f"--level {unknown[0]}", f"use {', '.join(_LEVELS)}")
    addresses, console = channels(), os.environ.get(CONSOLE, "")
    if action == "test":
        failed = send(trial(), addresses, console)
        arrived = 0 if len(failed) == len(addresses) else 1
    else:
        with opened(ctx) as guard:
            sent = notify(guard, addresses, console, level or _LEVELS)
        failed = tuple(problem for one in sent for problem in one.failed)
        arrived = sum(one.is_delivered for one in sent)
    for problem in failed:
        note(f"not delivered: {problem}")
    say(sent_in_words(arrived, len(failed)))
    if failed:
        raise typer.Exit(2)
