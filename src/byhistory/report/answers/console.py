"""Who may sign in to the console, its address, and which messages were sent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from byhistory.plain import plural, word
from byhistory.report.columns import table

if TYPE_CHECKING:
    from byhistory.web.accounts import Account


def accounts(found: Iterable[Account], file: Path) -> str:
    """One row per account."""
    rows = [(a.name, a.role, "yes" if a.sees_values else "no") for a in found]
    return table(["name", "role", "sees values"], rows) if rows else f"no account in {word(file)}"


def removed(name: str) -> str:
    """That an account was removed."""
    return f"removed: {word(name)}; who is signed in by it is out"


def added(name: str, role: str, file: Path, *, has_token: bool) -> str:
    """Where a new account is; its token follows, if it has one."""
    return f"account: {word(name)}, {role}, in {word(file)}" + ("; its token, shown this once:" if has_token else "")


def serving(host: str, port: int, where: str) -> str:
    """The address of a console, and how to end it."""
    name = f"[{host}]" if ":" in host else host
    return f"serving: http://{name}:{port} over {where}; stop with Ctrl-C"


def sent(messages: int, failed: int) -> str:
    """How many messages were sent.

    >>> sent(1, 2)
    'notify: 1 message sent, 2 not delivered'
    """
    return f"notify: {plural(messages, 'message')} sent{f', {failed} not delivered' if failed else ''}"
