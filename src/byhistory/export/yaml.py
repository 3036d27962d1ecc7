"""Plain values as YAML: blocks of `key: value`, with texts quoted as in JSON, which YAML reads the same way.

What acts in a terminal, an editor or the log of a CI system is written as an escape, which YAML reads back, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from byhistory.plain import plain

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def to_yaml(value: Any, comment: Sequence[str] = ()) -> str:
    r"""A document, after some lines of comment.

    >>> print(to_yaml({"a": 1, "b": [{"c": "x: y"}]}, ["said"]), end="")
    # said
    a: 1
    b:
      - c: "x: y"
    """
    head = "".join(f"# {plain(line, len(line))}\n" for text in comment for line in (text.splitlines() or [""]))
    return head + "\n".join(_lines(value)) + "\n"


def number(value: float) -> str:
    """A number without an exponent, which some readers take for text.

    >>> number(1e-7), number(12.0), number(-0.5)
    ('0.0000001', '12', '-0.5')
    """
    if value == int(value) and abs(value) < 2**53:
        return str(int(value))
    return format(Decimal(repr(float(value))), "f")


def _lines(value: Any) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [line for key, inner in value.items() for line in _entry(_scalar(key) + ":", inner)]
    if isinstance(value, list | tuple) and value:
        return [line for inner in value for line in _item(inner)]
    return [_scalar(value)]


def _entry(head: str, inner: Any) -> list[str]:
    is_list = isinstance(inner, list | tuple)
    if not inner or not (is_list or isinstance(inner, Mapping)):
        return [f"{head} {_scalar(inner)}"]
    if is_list and all(isinstance(x, int | float) for x in inner):
        return [f"{head} [{', '.join(_scalar(x) for x in inner)}]"]
    return [head, *("  " + line for line in _lines(inner))]


def _item(inner: Any) -> list[str]:
    first, *rest = _lines(inner)
    return ["- " + first, *("  " + line for line in rest)]


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    return _text(str(value))


def _text(text: str) -> str:
    if _PLAIN.match(text) and text.lower() not in _WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return plain(quoted, len(quoted))
