"""A number without a source cannot be changed: every constant says where it comes from, or what it means."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import byhistory

SRC, ROOT = Path(byhistory.__file__).parent, Path(__file__).parents[2]
FILES = [
    *sorted(SRC.rglob("*.py")),
    *sorted(file for name in ("bench", "scripts") for file in (ROOT / name).rglob("*.py")),
]
FORMATS = {"VERSION"}
"""The version of a stored format, which is what it is."""


def is_number(value: ast.expr) -> bool:
    """Whether a value is a number, or only made of numbers: no names, no calls, no texts."""
    kinds = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator, ast.expr_context)
    nodes = list(ast.walk(value))
    constants = [n.value for n in nodes if isinstance(n, ast.Constant)]
    return all(isinstance(n, kinds) for n in nodes) and all(type(c) in (int, float) for c in constants)


def _is_next_line(before: ast.stmt, node: ast.stmt) -> bool:
    return isinstance(before, ast.Assign) and before.end_lineno == node.lineno - 1


def unexplained(text: str) -> Iterator[str]:
    """The constants of a module that have neither a docstring nor a comment: beside them, or above their block."""
    body, lines = ast.parse(text).body, ["", *text.splitlines()]
    for place, node in enumerate(body):
        if not isinstance(node, ast.Assign) or not is_number(node.value):
            continue
        names = {n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name)}
        if names <= FORMATS:
            continue
        after = body[place + 1] if place + 1 < len(body) else None
        first = place
        while (
            first and isinstance(body[first - 1], ast.Assign) and body[first - 1].end_lineno == body[first].lineno - 1
        ):
            first -= 1
        has_docstring = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        has_comment = "#" in lines[node.lineno] or lines[body[first].lineno - 1].startswith("#")
        if not (has_docstring or has_comment):
            yield f"line {node.lineno}: {', '.join(sorted(names))}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: "/".join(file.parts[-3:]))
def test_a_constant_says_where_it_comes_from(file):
    assert not list(unexplained(file.read_text(encoding="utf-8")))


def test_a_constant_without_a_word_is_found():
    text = 'A = 3\n"""A choice."""\n# From the paper.\nB = 0.3\nC = 2.0\nVERSION = 1\nD = B * 2\n'
    assert list(unexplained(text)) == []
    assert list(unexplained(text + "\nE = (1, 2)\n")) == ["line 9: E"]
