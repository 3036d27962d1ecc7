"""Who may sign in to the console."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory account add ann --role decide
byhistory account add nightly --role job
byhistory account list
byhistory account remove ann
"""
_ACTIONS = ("add", "list", "remove")


def run(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="add (again for a new token), list or remove.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who: the name that decisions are signed with.")] = "",
    role: Annotated[
        str,
        typer.Option(
            metavar="ROLE", help="read, job (records runs), or decide; with +values also sees values of the data."
        ),
    ] = "read",
    file: Annotated[
        Path, typer.Option("--accounts", metavar="FILE", help="The file that `byhistory serve --accounts` reads.")
    ] = Path("accounts.txt"),
    proxy: Annotated[
        bool, typer.Option("--proxy", help="No token: signs in through the proxy in front, by this name.")
    ] = False,
) -> None:
    """Make, list or remove accounts of the console; a token is shown once and kept hashed."""
    from byhistory.cli._say import note, say
    from byhistory.report.answers import console as answer
    from byhistory.web.accounts import digest_of, named, new_token, read_accounts, write_accounts

    if action not in _ACTIONS:
        raise ByHistoryError(f"{action} an account", "no such action", f"say one of {', '.join(_ACTIONS)}")
    kept = read_accounts(file).by_name
    if action == "list":
        say(answer.accounts(kept.values(), file))
        return
    if action == "remove":
        if name not in kept:
            raise ByHistoryError(f"remove the account {name!r}", f"none of that name in {file}", "see `account list`")
        write_accounts(file, [a for a in kept.values() if a.name != name])
        say(answer.removed(name))
        return
    token = new_token()
    account = named(name, role) if proxy else named(name, role, digest_of(token))
    write_accounts(file, [*(a for a in kept.values() if a.name != name), account])
    note(answer.added(name, role, file, has_token=not proxy))
    if not proxy:
        say(token)
