"""Serve a console until somebody stops it."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING

from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.validator import Validator
    from byhistory.web.access import Access

SECRET = "BYHISTORY_CONSOLE_SECRET"  # noqa: S105 - the name of the variable, not a secret
_SHORTEST = 32
"""Characters of a secret, at least: 32 random hexadecimal digits are 128 bits, which nobody guesses."""


def serve(guard: Validator, access: Access, host: str, port: int, every: float = 2.0) -> None:
    """Print the address, and serve until a signal ends the process."""
    import uvicorn

    from byhistory.cli._say import say
    from byhistory.report.answers.console import serving
    from byhistory.validator.guarded import user
    from byhistory.web.app import console

    access = replace(access, secret=_secret(), local_user=user())
    listening = _bound(host, port)
    say(serving(host, listening.getsockname()[1], guard.records.where))
    app = console(guard, access, every=every)
    config = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        proxy_headers=False,  # which proxies to trust is set in one place: --proxy-from
        timeout_graceful_shutdown=2,  # pages that listen for news never end by themselves
    )
    server = uvicorn.Server(config)
    leave = server.handle_exit

    def on_signal(sign: int, frame: FrameType | None) -> None:
        app.state.console.watch.end()
        leave(sign, frame)

    server.handle_exit = on_signal  # type: ignore[method-assign, assignment]  # uvicorn has no hook of its own for this
    server.run(sockets=[listening])


def _bound(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(128)
    except (OSError, OverflowError) as why:
        todo = "free it, or name another with --port and --host"
        raise ByHistoryError(f"listen on {host}:{port}", str(why), todo) from why
    return found


def _secret() -> bytes:
    """The secret that sessions are sealed with: a new one at every start, unless the environment has one."""
    given = os.environ.get(SECRET, "")
    if given and len(given) < _SHORTEST:
        raise ByHistoryError(f"read {SECRET}", f"{len(given)} characters", f"give at least {_SHORTEST} random ones")
    return given.encode() or secrets.token_bytes(32)
