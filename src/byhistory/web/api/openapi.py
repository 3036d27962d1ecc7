"""The API described for machines (OpenAPI 3.1), made from the same list as its routes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from byhistory import __version__

if TYPE_CHECKING:
    from byhistory.web.api.routes import Operation

_FIELDS: dict[str, dict[str, Any]] = {
    "columns": {"type": "array", "items": {"type": "string"}},
    "low": {"type": "number"},
    "high": {"type": "number"},
    "budget": {"type": "number", "description": "How often a good run may be stopped, as a share."},
    "warn_budget": {"type": "number", "description": "How often it may be stopped or warned about; 0 never warns."},
    "arguments": {"type": "object"},
    "what": {"type": "string", "description": "The word, as on the command line."},
}
_ERROR = {
    "type": "object",
    "required": ["asked", "found", "todo"],
    "properties": {name: {"type": "string"} for name in ("asked", "found", "todo")},
}


def document(root: str, operations: Iterable[Operation]) -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, dict[str, Any]] = {}
    for o in operations:
        paths.setdefault(root + o.path, {})[o.method.lower()] = _operation(o)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "byhistory console",
            "version": __version__,
            "description": "The verbs of the command line over HTTP. Names may be any text.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR},
        },
    }


def _operation(o: Operation) -> dict[str, Any]:
    refused = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    found: dict[str, Any] = {
        "operationId": f"{o.method.lower()}_{o.path.strip('/')}",
        "summary": o.about,
        "description": f"Needs an account that may {o.needs}.",
        "parameters": [
            {"name": name, "in": "query", "required": name in o.takes, "schema": {"type": "string"}}
            for name in (*o.takes, *o.optional)
        ],
        "responses": {
            "200": {"description": "Done.", "content": {"application/json": {"schema": {"type": o.gives}}}},
            "400": {"description": "It cannot be done as asked.", **refused},
            "401": {"description": "No token that is known.", **refused},
            "403": {"description": "The account may not.", **refused},
            "404": {"description": "There is no such thing.", **refused},
        },
    }
    if o.method == "POST":
        properties = {name: _FIELDS.get(name, {"type": "string"}) for name in (*o.body, *o.body_optional)}
        schema = {"type": "object", "required": list(o.body), "properties": properties}
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return found
