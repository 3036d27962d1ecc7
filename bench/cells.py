"""Shares and tables as the pages of the evaluation show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def number(value: float | None, digits: int = 3) -> str:
    """A share as the paper writes it; a dash where there is none.

    >>> number(0.9514), number(None), number(1.0)
    ('.951', '–', '1.000')
    """
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def percent(value: float | None) -> str:
    """A small share with two figures that count.

    >>> percent(0.0123), percent(0.0), percent(0.00045)
    ('1.2 %', '0 %', '0.045 %')
    """
    if value is None:
        return "–"
    return f"{100 * value:.2g} %" if 100 * value < 10 else f"{100 * value:.0f} %"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table as Markdown has it.

    >>> print(table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    rows = ["| " + " | ".join(row) + " |" for row in (head, *lines)]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]])
