"""The paths of the API, each with who may use it and its description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from byhistory.web.api import answers, openapi, prometheus, remote
from byhistory.web.asking import Asked, answer

ROOT = "/api/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that a program may ask or decide. `takes` are parameters of the address, `body` fields of the JSON."""

    method: str
    path: str
    work: Callable[[Asked], Any]
    needs: str
    about: str
    takes: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    body_optional: tuple[str, ...] = ()
    gives: str = "object"


ALL = (
    Operation("GET", "/tables", answers.tables, "read", "Every table, with how it stands.", optional=("state",)),
    Operation("GET", "/table", answers.table, "read", "One table: its alarms, what is due, its settings.", ("table",)),
    Operation("GET", "/runs", answers.runs, "read", "The runs of a table, oldest first, with decisions.", ("table",)),
    Operation(
        "GET",
        "/verdict",
        answers.verdict,
        "read",
        "The verdict on a run (the latest, if none is named), as `byhistory check --output json` writes it.",
        ("table",),
        ("run",),
    ),
    Operation("GET", "/inbox", answers.inbox, "read", "The alarms that wait for an answer, over all tables."),
    Operation(
        "POST",
        "/preview",
        answers.preview,
        "read",
        "What a decision would change; nothing is kept.",
        body=("table", "run", "what"),
        body_optional=("columns", "until"),
    ),
    Operation(
        "POST",
        "/decide",
        answers.decide,
        "decide",
        "Say accept, usual, new normal, reject, snooze or undo of a run; signed with the name of the account.",
        body=("table", "run", "what"),
        body_optional=("why", "columns", "until"),
    ),
    Operation(
        "GET", "/settings", answers.settings, "read", "Budgets, mutes, pins and thresholds of a table.", ("table",)
    ),
    Operation(
        "POST",
        "/settings",
        answers.change,
        "decide",
        "budget, unset budget; or mute, pin, threshold or unset a metric of a column.",
        body=("table", "what"),
        body_optional=(*answers.SETTING_FIELDS, "why"),
    ),
    Operation(
        "POST",
        "/store",
        remote.call,
        "read",
        "One call of a store's method, for `byhistory --server`; writing needs the role job or decide.",
        body=("method", "arguments"),
    ),
)
"""Every operation; the routes and the OpenAPI document are both made from this list."""


def routes() -> list[Route]:
    """The routes of the application."""
    made = [Route(ROOT + o.path, answer(o.work, o.needs), methods=[o.method]) for o in ALL]
    return [
        *made,
        Route(f"{ROOT}/openapi.json", answer(_document)),
        Route("/metrics", answer(prometheus.metrics)),
    ]


def _document(_: Asked) -> Any:
    return openapi.document(ROOT, ALL)


__all__ = ["ALL", "ROOT", "Operation", "Response", "routes"]
