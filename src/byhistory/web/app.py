"""The console as one web application: routes, headers, and the thread that watches the store."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from byhistory.plain import plain
from byhistory.report.page import style_and_script
from byhistory.validator import Validator
from byhistory.web.access import LOOPBACK_NAMES, Access, visitor
from byhistory.web.api import routes as api
from byhistory.web.asking import Console, Refused, as_json, page, problem
from byhistory.web.learning import BackgroundLearning
from byhistory.web.pages import backtest, column, day, decide, events, fleet, many, run, setting, signin, table
from byhistory.web.replays import Replays
from byhistory.web.watch import Watch

_LOG = logging.getLogger("byhistory.web")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page may load and run: files of this console, and nothing else."""


def console(guard: Validator, access: Access, *, every: float = 2.0) -> Starlette:
    """The console over a validator; it looks at the store `every` few seconds, as many as that says."""
    watch = Watch(guard, every)
    learning, replays = BackgroundLearning(guard, watch), Replays(guard, watch)

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        watch.start()
        learning.start()
        yield
        replays.stop()
        learning.stop()
        watch.stop()

    app = Starlette(
        routes=[
            Route("/", page(fleet.show)),
            Route("/day", page(day.show)),
            Route("/table", page(table.show)),
            Route("/backtest", page(backtest.show)),
            Route("/run", page(run.show)),
            Route("/preview", page(decide.preview)),
            Route("/column", page(column.show)),
            Route("/decide", page(decide.decide, "decide"), methods=["POST"]),
            Route("/many", page(many.decide, "decide"), methods=["POST"]),
            Route("/setting", page(setting.change, "decide"), methods=["POST"]),
            Route("/signin", signin.show, methods=["GET"]),
            Route("/signin", signin.enter, methods=["POST"]),
            Route("/signout", page(signin.leave), methods=["POST"]),
            Route("/events", events.stream),
            Route("/healthz", _health),
            Route("/static/{name}", _static),
            *api.routes(),
        ],
        lifespan=life,
        exception_handlers={404: _missing, 405: _missing},
    )
    app.state.console = Console(guard, access, watch, learning, replays)
    hosts = LOOPBACK_NAMES if access.is_open else ()
    app.add_middleware(_Guarded, hosts=hosts, is_https=access.is_https)
    return app


class _Guarded:
    """Headers on every answer. Where nobody signs in, other host names are refused: a foreign page may point here.

    It is a class because that is what a middleware is.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], is_https: bool) -> None:
        self._app, self._hosts, self._is_https = app, hosts, is_https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        is_begun = False

        async def with_headers(message: Message) -> None:
            nonlocal is_begun
            if message["type"] == "http.response.start":
                is_begun = True
                headers = MutableHeaders(scope=message)
                headers["content-security-policy"] = POLICY
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "same-origin"
                headers["cross-origin-opener-policy"] = "same-origin"
                headers["cross-origin-resource-policy"] = "same-origin"
                headers["permissions-policy"] = "camera=(), microphone=(), geolocation=()"
                headers.setdefault("cache-control", "no-store")
                if self._is_https:
                    headers["strict-transport-security"] = "max-age=31536000"
            await send(message)

        host = Request(scope).headers.get("host", "")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if self._hosts and name not in self._hosts:
            refused = PlainTextResponse(f"this console answers to {', '.join(self._hosts)} only", 400)
            await refused(scope, receive, with_headers)
            return
        try:
            await self._app(scope, receive, with_headers)
        except Exception as why:
            _LOG.exception("%s %r failed", scope["method"], scope["path"])
            if is_begun:
                raise
            await _failed(Request(scope), why)(scope, receive, with_headers)


async def _missing(request: Request, why: Exception) -> Response:
    """A page for an address that does not exist, or does not take the method; machines get JSON."""
    status = why.status_code if isinstance(why, HTTPException) else 404
    found = "no such page" if status == 404 else f"a page that takes no {request.method}"
    error = Refused(status, f"open {plain(request.url.path)}", found, "begin at the list of all tables")
    if request.url.path.startswith(api.ROOT):
        return as_json(error)
    console: Console = request.app.state.console
    return problem(console, visitor(console.access, request), error)


def _failed(request: Request, why: Exception) -> Response:
    """A page for an error that nobody foresaw: only those who run the console get its details, in the log."""
    asked, todo = f"open {plain(request.url.path)}", "try again; whoever runs the console has the rest in its log"
    error = Refused(500, asked, f"an error of the console ({type(why).__name__})", todo)
    if request.url.path.startswith(api.ROOT):
        return as_json(error)
    console: Console = request.app.state.console
    return problem(console, None, error)


async def _health(request: Request) -> Response:
    """Whether the console can read its store, without a word about the tables."""
    from starlette.concurrency import run_in_threadpool

    console: Console = request.app.state.console
    try:
        await run_in_threadpool(console.guard.store.key)
        await run_in_threadpool(console.guard.store.state, "")
    except Exception:  # whatever it is: not healthy
        return PlainTextResponse("the store cannot be read\n", 503)
    return PlainTextResponse("ok\n")


async def _static(request: Request) -> Response:
    kinds = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
    name = request.path_params["name"]
    text = _assets().get(name)
    if text is None:
        return PlainTextResponse("no such file\n", 404)
    kind = kinds[name.rpartition(".")[2]]
    return Response(text, media_type=kind, headers={"cache-control": "no-cache"})


@cache
def _assets() -> dict[str, str]:
    style, script = style_and_script()
    folder = files("byhistory.web").joinpath("static")
    own = {n: folder.joinpath(n).read_text("utf-8") for n in ("console.css", "console.js")}
    return {"report.css": style, "report.js": script, **own}
