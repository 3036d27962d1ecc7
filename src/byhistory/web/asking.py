"""What all pages and all answers have in common: who asks, for what, and what happens if it cannot be done."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from byhistory.errors import ByHistoryError
from byhistory.plain import inert_json
from byhistory.validator import Validator
from byhistory.validator.guarded import Guarded
from byhistory.validator.standing import Standing
from byhistory.web.access import Access, Visitor, visitor
from byhistory.web.cache import Cache
from byhistory.web.learning import BackgroundLearning
from byhistory.web.limit import Limit
from byhistory.web.links import link, parsed
from byhistory.web.replays import Replays
from byhistory.web.seal import FORM_FIELD
from byhistory.web.watch import Watch

LARGEST_FORM = 2_000_000
"""Bytes of a form, by choice: far more than all of its fields together."""
LARGEST_BODY = 256_000_000
"""Bytes of one request, by choice; a run with thousands of columns that a job records has tens of millions."""


@dataclass(frozen=True, slots=True)
class Console:
    """All that pages and answers work with."""

    guard: Validator
    access: Access
    watch: Watch
    learning: BackgroundLearning
    replays: Replays
    limit: Limit = field(default_factory=Limit)
    cache: Cache = field(default_factory=Cache)
    deciding: Any = field(default_factory=Lock)
    """A lock, held from reading what was decided about a run until the next decision about it is kept."""
    rows: dict[str, tuple[Standing, Markup]] = field(default_factory=dict)
    """The rows of the list of all tables, as rendered."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of somebody who is signed in; `form` has all values of every field (for a GET, of its address)."""

    console: Console
    visitor: Visitor
    path: str
    query: dict[str, str]
    form: dict[str, list[str]]
    body: bytes = b""

    @property
    def guard(self) -> Validator:
        """The facade."""
        return self.console.guard

    def of(self, table: str) -> Guarded:
        """A table to show: while it is learned again, it is shown as it was before."""
        return replace(self.guard.guarded(table), uses_kept=True)

    def version(self, table: str) -> tuple[str, int]:
        """Changes whenever something happens to the table; results that are kept for its pages are kept under it."""
        return self.guard.store.state(table), self.console.learning.times(table)

    def after_decision(self, table: str) -> None:
        """Show what was just decided about a table, and have it learned again when there is time."""
        self.console.watch.look(table)
        self.console.learning.ask(table)

    def get(self, name: str) -> str:
        """A parameter of the address."""
        return self.query.get(name, "")

    def columns(self) -> list[str]:
        """The columns that were chosen."""
        return [name for text in self.form.get("column", ()) for key, name in parsed(text) if key == "c" and name]

    def field(self, name: str) -> str:
        """A field of the form, else a parameter of the address."""
        return (self.form.get(name) or [self.get(name)])[0]


class Refused(Exception):  # noqa: N818 - named for what happened
    """Something that may not be done, with its HTTP status."""

    def __init__(self, status: int, asked: str, found: str, todo: str) -> None:
        super().__init__(asked, found, todo)
        self.status, self.error = status, ByHistoryError(asked, found, todo)


Work = Callable[[Asked], Response]
Endpoint = Callable[[Request], Awaitable[Response]]


def page(work: Work, needs: str = "read") -> Endpoint:
    """An endpoint for people: those who are not signed in are asked to, and errors are pages."""

    async def endpoint(request: Request) -> Response:
        console: Console = request.app.state.console
        who = visitor(console.access, request)
        if who is None:
            if request.method != "GET":
                return problem(console, None, Refused(401, "do this", "nobody signed in", "sign in first"))
            return RedirectResponse(link("/signin", to=_address(request)), 303)
        try:
            asked = await _asked(console, who, request, LARGEST_FORM)
            _allowed(asked, request, needs)
            response = await run_in_threadpool(work, asked)
        except Refused as why:
            response = problem(console, who, why)
        except ByHistoryError as why:
            response = problem(console, who, Refused(404 if request.method == "GET" else 400, *_parts(why)))
        if who.session.is_new:
            console.access.seal.keep(response, who.session)
        return response

    return endpoint


def answer(work: Callable[[Asked], Any], needs: str = "read") -> Endpoint:
    """An endpoint for machines: JSON both ways, and errors in three sentences."""

    async def endpoint(request: Request) -> Response:
        console: Console = request.app.state.console
        who = visitor(console.access, request)
        try:
            if who is None:
                raise Refused(401, "use the API", "no token that is known", "send Authorization: Bearer …")
            asked = await _asked(console, who, request, LARGEST_BODY if who.may("record") else LARGEST_FORM)
            _allowed(asked, request, needs)
            found = await run_in_threadpool(work, asked)
            return found if isinstance(found, Response) else json_response(found)
        except Refused as why:
            return as_json(why)
        except ByHistoryError as why:
            return as_json(Refused(404 if request.method == "GET" else 400, *_parts(why)))

    return endpoint


def json_body(asked: Asked) -> dict[str, Any]:
    """The body of a request as an object; an error if it is none."""
    try:
        body = json.loads(asked.body or b"{}")
    except (ValueError, RecursionError) as why:
        raise Refused(400, "read the body", "text that is no JSON", "send an object in JSON") from why
    if not isinstance(body, dict):
        raise Refused(400, "read the body", "JSON that is no object", "send an object in JSON")
    return body


def json_response(body: Any, status: int = 200) -> Response:
    """An answer for a machine: only ASCII, and nothing that a CI system whose log shows it takes for a command."""
    text = inert_json(json.dumps(body, allow_nan=False, separators=(",", ":")))
    return Response(text, status, media_type="application/json")


def as_json(why: Refused) -> Response:
    """An error for a machine."""
    error = why.error
    return json_response({"asked": error.asked, "found": error.found, "todo": error.todo}, why.status)


async def _asked(console: Console, who: Visitor, request: Request, largest: int) -> Asked:
    given = parsed(request.scope["query_string"].decode("latin-1"))
    form: dict[str, list[str]] = {}
    for name, value in given if request.method == "GET" else ():
        form.setdefault(name, []).append(value)
    body = b""
    if request.method not in ("GET", "HEAD"):
        body = await _read(request, largest)
        kind = request.headers.get("content-type", "").partition(";")[0].strip()
        if kind == "application/x-www-form-urlencoded":
            for name, value in parsed(body.decode("latin-1")):
                form.setdefault(name, []).append(value)
    return Asked(console, who, request.url.path, dict(given), form, body)


async def _read(request: Request, largest: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > largest:
            raise Refused(413, "read the request", f"more than {largest:,} bytes", "send less")
        parts.append(part)
    return b"".join(parts)


def _allowed(asked: Asked, request: Request, needs: str) -> None:
    """Raise an error for an account that may not do this, and for a form that is not ours."""
    who = asked.visitor
    if not who.may(needs):
        todo = f"ask for an account that may {needs}"
        raise Refused(403, f"{request.method} {asked.path}", f"{who.name}, who may only {who.account.role}", todo)
    if request.method in ("GET", "HEAD") or who.by == "token":
        return  # a browser never sends a token by itself
    foreign = request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
    origin = request.headers.get("origin")
    if origin not in (None, "null") and urlsplit(origin or "").netloc != request.headers.get("host"):
        foreign = True
    given = (asked.form.get(FORM_FIELD) or [request.headers.get("x-byhistory-seal", "")])[0]
    if foreign or not asked.console.access.seal.is_of(who.session, given):
        raise Refused(403, "do this", "a form that is not of this session", "go back, reload the page and try again")


def _address(request: Request) -> str:
    query = request.scope["query_string"].decode("latin-1")
    return request.url.path + (f"?{query}" if query else "")


def _parts(error: ByHistoryError) -> tuple[str, str, str]:
    return error.asked, error.found, error.todo


def problem(console: Console, who: Visitor | None, why: Refused) -> Response:
    """An error as a page."""
    from byhistory.web.render import render_page

    return render_page("problem", console, who, status=why.status, error=why.error)
