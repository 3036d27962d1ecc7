"""News while a page is open, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from byhistory.web.access import visitor
from byhistory.web.asking import Console

_EVERY = 1.0
"""Seconds between two looks at what changed, by choice."""
_QUIET = 15
"""After this many looks without news a comment is sent, so that a proxy keeps the connection open (by choice)."""


async def stream(request: Request) -> Response:
    """One event for every change of a table since the change that the page was made after."""
    console: Console = request.app.state.console
    if visitor(console.access, request) is None:
        return PlainTextResponse("sign in first\n", 401)
    given = request.headers.get("last-event-id") or request.query_params.get("after", "")
    after = int(given) if given.isdecimal() and len(given) < 19 else console.watch.number
    return StreamingResponse(_events(console, request, after), media_type="text/event-stream")


async def _events(console: Console, request: Request, after: int) -> AsyncIterator[str]:
    yield "retry: 3000\n\n"
    quiet = 0
    while not console.watch.is_over and not await request.is_disconnected():
        if visitor(console.access, request) is None:  # the account was removed
            return
        found = console.watch.changes(after)
        for change in found:
            after = change.number
            body = json.dumps({"table": change.table, "run": change.run, "state": change.state})
            yield f"id: {change.number}\nevent: table\ndata: {body}\n\n"
        quiet = 0 if found else quiet + 1
        if quiet == _QUIET:
            quiet = 0
            yield ": still here\n\n"
        await asyncio.sleep(_EVERY)
