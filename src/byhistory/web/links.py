"""Addresses inside the console; a name may be any text, so it is always a parameter behind the question mark."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode

from byhistory.errors import ByHistoryError

MOST_FIELDS = 20_000
"""How many fields a form may have, by choice: twice the tables of a large fleet, each of which has a box to tick."""


def link(path: str, **parameters: str) -> str:
    """An address with its parameters; empty ones are left out.

    >>> link("/run", t="a/b", r="1 & 2", x="")
    '/run?t=a%2Fb&r=1+%26+2'
    """
    given = [(k, v.encode("utf-8", "surrogatepass")) for k, v in parameters.items() if v]
    return f"{path}?{urlencode(given)}" if given else path


def parsed(text: str) -> list[tuple[str, str]]:
    r"""The parameters that were given to `link`.

    >>> parsed(link("", t="half \ud800").removeprefix("?")) == [("t", "half \ud800")]
    True
    """
    try:
        return parse_qsl(text, keep_blank_values=True, errors="surrogatepass", max_num_fields=MOST_FIELDS)
    except ValueError as why:
        found = "bytes that are no UTF-8" if isinstance(why, UnicodeError) else f"more than {MOST_FIELDS:,} fields"
        raise ByHistoryError("read an address or a form", found, "follow a link of the console") from why


def pair(table: str, run: str) -> str:
    """A run of a table as the value of a field."""
    return link("", t=table, r=run).removeprefix("?")


def pairs(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The runs of tables that `pair` made such values of."""
    found = [dict(parsed(text)) for text in texts]
    return [(body.get("t", ""), body.get("r", "")) for body in found]
