"""Text from the data, made harmless: nothing in it moves the cursor, reverses a line or fills the page."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from shlex import quote
from typing import Any

LONGEST_NAME = 80
"""Characters of a name inside a sentence, by choice: one line of a terminal."""
LONGEST_SENTENCE = 1_000
"""Characters of a sentence, by choice: what a chat or a log still shows in full."""
_INERT = {"@": "@\u2060", "<": "<\u2060", "://": ":\u2060//", "www.": "www\u2060."}
"""What a chat or a mail program acts on, and the same with an invisible word joiner, which it does not act on."""
LONGEST_WORD = 300
"""Characters of a name or value in a table or a short line, by choice: a few lines of a terminal."""
_JOINERS = "\u200c\u200d"  # they join emoji and the letters of some scripts, and do nothing else
_COMMAND = re.compile(r"(?<!\S)::(?=\S)|##(?=\w*\[)")
"""The beginning of a word that a CI system takes for a command."""
_CONTROLS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of characters that act instead of being seen: controls, directions, surrogates, line breaks."""


def plain(text: str, limit: int = LONGEST_NAME) -> str:
    r"""The text with every control character written as an escape, and cut with a notice if it is long.

    >>> print(plain("price\x1b[31m"), plain("a\u202eb"), plain("x" * 1_000_000, 5))
    price\x1b[31m a\u202eb xxxxx… (1,000,000 characters)
    >>> print(plain("::stop-commands::x"), plain("##[error]x"), plain("std::vector"))
    \x3a:stop-commands::x #\x23[error]x std::vector
    """
    cut = text[:limit]
    seen = "".join(_escaped(c) if is_control(c) else c for c in cut)
    # GitHub, Azure and TeamCity act on what a job prints. A line may be broken before any word.
    seen = _COMMAND.sub(lambda found: found[0].replace("::", r"\x3a:").replace("##", r"#\x23"), seen)
    return seen if len(text) <= limit else f"{seen}… ({len(text):,} characters)"


def word(text: object) -> str:
    r"""A name or value inside a line: line breaks are escaped, too, and what would fill the screen is cut.

    >>> print(word("a\nb"))
    a\x0ab
    """
    return plain(str(text), LONGEST_WORD)


def arguments(*names: str) -> str:
    """Names as arguments of a command to paste into a shell: nothing in them runs there, or is taken for an option.

    >>> print(arguments("my orders", "$(date)"), arguments("orders", "-5"))
    'my orders' '$(date)' -- orders -5
    """
    words = " ".join(quote(word(name)) for name in names)
    return f"-- {words}" if any(name.startswith("-") for name in names) else words


def as_json(body: Any, indent: int | None = 2, default: Callable[[Any], Any] | None = None) -> str:
    r"""JSON that is safe to print: only ASCII, and nothing that a CI system takes for a command.

    Azure obeys a command anywhere in a line of a log, even within quotes.

    >>> print(as_json({"name": "\u202e##vso[task.complete]"}, indent=None))
    {"name": "\u202e#\u0023vso[task.complete]"}
    """
    return inert_json(json.dumps(body, indent=indent, default=default))


def inert_json(text: str) -> str:
    r"""JSON in ASCII without what a CI system takes for a command; it says the same.

    >>> print(inert_json('["::error::x"]'), inert_json('["a ::b"]'))
    ["::error::x"] ["a \u003a:b"]
    """
    return _COMMAND.sub(_in_json, text)


def _in_json(found: re.Match[str]) -> str:
    return found[0].replace("::", r"\u003a:").replace("##", r"#\u0023")


def harmless(text: str) -> str:
    r"""The text for a chat or a mail: nothing in it mentions anybody, is a link, or opens an HTML element.

    An invisible word joiner keeps an @ from mentioning anybody, and a dot or a colon from making a link.

    >>> ascii(harmless("@here <!channel> <img> http://example.org"))
    "'@\\u2060here <\\u2060!channel> <\\u2060img> http:\\u2060//example.org'"
    """
    for sign, joined in _INERT.items():
        text = text.replace(sign, joined)
    return text


def plain_sentence(sentence: str, names: Iterable[str] = ()) -> str:
    """A sentence made plain. Very long names in it are shortened in place, so that its end can still be read.

    >>> plain_sentence("column " + "n" * 5000 + " is new", ["n" * 5000])[-30:]
    'nnn… (5,000 characters) is new'
    """
    for name in names:
        if len(name) > LONGEST_NAME:
            short = plain(name)
            sentence = sentence.replace(repr(name), f"'{short}'").replace(name, short)
    return plain(sentence, LONGEST_SENTENCE)


def some_of(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> some_of(["a", "b"], 2), some_of(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def plural(count: int, thing: str) -> str:
    """A count of things.

    >>> plural(1, "run"), plural(2_000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def cells(text: str) -> int:
    """How many cells the text takes in a terminal.

    >>> cells("abc"), cells("価格"), cells("e\u0301")
    (3, 4, 1)
    """
    return sum(_cells(c) for c in text)


def clipped(text: str, width: int) -> str:
    """The text, cut with an ellipsis to at most `width` cells of a terminal.

    >>> clipped("価格の列", 5), clipped("price", 5)
    ('価格…', 'price')
    """
    if cells(text) <= width:
        return text
    kept, used = [], 1
    for c in text:
        used += _cells(c)
        if used > width:
            break
        kept.append(c)
    return "".join(kept) + "…"


def padded(text: str, width: int, right: bool = False) -> str:
    """The text, padded with blanks to `width` cells of a terminal; `right` aligns it to the right."""
    blanks = " " * max(0, width - cells(text))
    return blanks + text if right else text + blanks


def _cells(c: str) -> int:
    if unicodedata.combining(c) or c in _JOINERS or "\ufe00" <= c <= "\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def is_control(c: str) -> bool:
    """Whether a character acts where it is shown, instead of being seen."""
    is_none = (ord(c) & 0xFFFE) == 0xFFFE or 0xFDD0 <= ord(c) <= 0xFDEF  # not characters at all: XML refuses them
    return is_none or (unicodedata.category(c) in _CONTROLS and c not in _JOINERS)


def _escaped(c: str) -> str:
    point = ord(c)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
