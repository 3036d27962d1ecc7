"""The console, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from byhistory.cli._settings import opened
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory serve
byhistory serve --host 0.0.0.0 --accounts accounts.txt --https
byhistory serve --host 0.0.0.0 --proxy-header X-Forwarded-User --proxy-from 10.0.0.7
"""


def run(
    ctx: typer.Context,
    host: Annotated[
        str, typer.Option(metavar="NAME", help="Listen there. Others than this machine need a way to sign in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="0 for any that is free.")] = 8642,
    accounts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Who may sign in: a file that `byhistory account` makes.")
    ] = None,
    proxy_header: Annotated[
        str, typer.Option(metavar="NAME", help="Trust this header of a proxy to say who is asking.")
    ] = "",
    proxy_from: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="The proxy's address or network; may be given many times."),
    ] = None,
    proxy_role: Annotated[
        str, typer.Option(metavar="ROLE", help="What who has no account may do: read, job or decide.")
    ] = "read",
    https: Annotated[
        bool, typer.Option("--https", help="A proxy in front speaks https: cookies are for https only.")
    ] = False,
    every: Annotated[float, typer.Option(metavar="SECONDS", help="How often to look for new runs.")] = 2.0,
) -> None:
    """Serve the console: every table, every alarm, and the decisions, in a browser.

    It works on the store as it is, beside jobs that write to it. Without --accounts or a proxy it listens on this
    machine only, and whoever uses this machine decides in your name.
    """
    from byhistory.cli._serving import serve
    from byhistory.web.access import Access, Proxy, checked

    if not 0.1 <= every <= 3_600:
        raise ByHistoryError("serve the console", f"--every {every}", "give seconds from 0.1 to 3600")
    proxy = Proxy(proxy_header, tuple(proxy_from or ()), proxy_role) if proxy_header else None
    access = Access(accounts, proxy, is_https=https)
    checked(access, host)
    with opened(ctx, make=True) as guard:
        serve(guard, access, host, port, every)
