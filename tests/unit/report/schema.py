"""As much of JSON Schema as our own schema uses; what it does not know, it refuses."""

from __future__ import annotations

from typing import Any

_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}
_KNOWN = {
    *(
        "$schema",
        "$id",
        "$defs",
        "title",
        "description",
        "$ref",
        "type",
        "const",
        "enum",
        "anyOf",
        "minimum",
        "maximum",
    ),
    *("required", "properties", "additionalProperties", "items"),
}


def complaints(value: Any, schema: dict[str, Any], at: str = "$", root: dict[str, Any] | None = None) -> list[str]:
    """Where a value does not keep to a schema; entries that the schema does not name are told, too."""
    root = root or schema
    assert set(schema) <= _KNOWN, f"{at}: the tests do not know {set(schema) - _KNOWN}"
    if "$ref" in schema:
        return complaints(value, root["$defs"][schema["$ref"].rpartition("/")[2]], at, root)
    wrong: list[str] = []
    if "anyOf" in schema and all(complaints(value, s, at, root) for s in schema["anyOf"]):
        wrong.append(f"{at}: none of the alternatives")
    if "type" in schema and not _is_one_of(value, schema["type"]):
        return [f"{at}: {value!r} is no {schema['type']}"]
    if "const" in schema and value != schema["const"]:
        wrong.append(f"{at}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{at}: {value!r} is none of {schema['enum']}")
    if value is not None and ("minimum" in schema or "maximum" in schema):
        low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
        wrong += [] if low <= value <= high else [f"{at}: {value!r} is out of range"]
    if isinstance(value, dict) and schema.get("type") == "object":
        wrong += [f"{at}: no {name}" for name in schema.get("required", []) if name not in value]
        others = schema.get("additionalProperties")
        for name, inner in value.items():
            expected = schema.get("properties", {}).get(name, others)
            if expected is not None:
                wrong += complaints(inner, expected, f"{at}.{name[:40]}", root)
    if isinstance(value, list) and "items" in schema:
        wrong += [c for i, inner in enumerate(value) for c in complaints(inner, schema["items"], f"{at}[{i}]", root)]
    return wrong


def _is_one_of(value: Any, names: str | list[str]) -> bool:
    wanted = [names] if isinstance(names, str) else names
    is_bool = isinstance(value, bool)
    return any(isinstance(value, _TYPES[n]) and (n == "boolean" or not is_bool) for n in wanted)
