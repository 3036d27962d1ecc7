"""Lets the API reference show the examples of docstrings as code: in Markdown, `>>>` is three quotations in each other.

An extension of griffe, which reads the docstrings for mkdocstrings; zensical.toml names it.
"""

from __future__ import annotations

from typing import Any

from griffe import Extension, Object


class DoctestBlocks(Extension):
    """Puts a fence around every example."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called for everything that has a docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    r"""A docstring with a fence around every example, which ends at an empty line.

    >>> print(fenced("Adds.\n\n>>> 1 + 1\n2\n\nAnd so on.").replace("`", "'"))
    Adds.
    <BLANKLINE>
    '''python
    >>> 1 + 1
    2
    '''
    <BLANKLINE>
    And so on.
    """
    lines: list[str] = []
    is_inside = False
    for line in text.splitlines():
        if line.startswith(">>> ") and not is_inside:
            lines.append("```python")
            is_inside = True
        elif is_inside and not line.strip():
            lines.append("```")
            is_inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if is_inside else lines)
