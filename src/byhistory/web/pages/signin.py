"""Signing in: a token once, then a session for the day."""

from __future__ import annotations

import secrets
import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from byhistory.errors import ByHistoryError
from byhistory.web.access import Visitor, address_of, visitor
from byhistory.web.asking import Asked, Console, Refused, _read
from byhistory.web.links import parsed
from byhistory.web.render import render_page
from byhistory.web.seal import FORM_FIELD, Session

LARGEST_SIGN_IN = 100_000
"""Bytes of a form from somebody unknown, by choice: a token has 46, an address to go to a few thousand."""


async def show(request: Request) -> Response:
    """The form; those who are signed in are sent on."""
    console: Console = request.app.state.console
    to = _fields(request.scope["query_string"]).get("to", "")
    if visitor(console.access, request) is not None:
        return RedirectResponse(_inside(to), 303)
    return _form(console, request, to)


async def enter(request: Request) -> Response:
    """Check the token; somebody who tries too often has to wait."""
    console: Console = request.app.state.console
    peer = address_of(console.access, request)
    now = time.monotonic()
    wait = console.limit.wait(peer, now)
    if wait > 0:
        found = _form(console, request, "", f"too many tries; wait {wait:.0f} seconds", 429)
        found.headers["retry-after"] = str(int(wait) + 1)
        return found
    try:
        fields = _fields(await _read(request, LARGEST_SIGN_IN))
    except Refused:
        fields = {}
    session = console.access.seal.session_of(request)
    to = _inside(fields.get("to", ""))
    foreign = request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
    if foreign or not console.access.seal.is_of(session, fields.get(FORM_FIELD, "")):
        return _form(console, request, to, "the form was too old; try again", 403)
    account = console.access.accounts().with_token(fields.get("token", "").strip())
    if account is None:
        console.limit.fail(peer, now)
        return _form(console, request, to, "no account has this token", 403)
    response = RedirectResponse(to, 303)
    # A new id: one that somebody planted before must not become a session that is signed in.
    console.access.seal.keep(response, Session(secrets.token_urlsafe(16), account.name, account.digest[-16:]))
    return response


def leave(asked: Asked) -> Response:
    """Sign out."""
    response = RedirectResponse("/signin", 303)
    asked.console.access.seal.drop(response)
    return response


def _form(console: Console, request: Request, to: str, problem: str = "", status: int = 200) -> Response:
    session = console.access.seal.session_of(request)
    by_proxy_only = console.access.file is None
    response = render_page(
        "signin",
        console,
        None,
        status,
        to=to,
        problem=problem,
        by_proxy_only=by_proxy_only,
        own_seal=console.access.seal.of_form(session),
    )
    if session.is_new:
        console.access.seal.keep(response, session)
    return response


def _fields(text: bytes) -> dict[str, str]:
    try:
        return dict(parsed(text.decode("latin-1")))
    except ByHistoryError:  # no form of ours: as if it were empty
        return {}


def _inside(to: str) -> str:
    """A page of this console; anything else leads to its first page."""
    is_ours = to.startswith("/") and not to.startswith(("//", "/\\")) and "\n" not in to and "\r" not in to
    return to if is_ours else "/"


__all__ = ["Visitor", "enter", "leave", "show"]
