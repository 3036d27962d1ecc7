"""Who has an account: a file of names, roles and hashed tokens."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from byhistory.errors import ByHistoryError

ROLES: dict[str, frozenset[str]] = {
    "read": frozenset({"read"}),
    "job": frozenset({"read", "record"}),
    "decide": frozenset({"read", "decide", "record"}),
}
"""What each role may do: see everything, record runs (a pipeline), or decide about them (a person)."""
VALUES = "values"
"""Behind a role, as in `read+values`: may also see example values of the data, where the store keeps them."""
_NAME = re.compile(r"[^\s#:\x00-\x1f\x7f]{1,64}")
_LINE = 3
"""How many words a line has: name, role, hash."""
_PROXY_ONLY = "-"


@dataclass(frozen=True, slots=True)
class Account:
    """A name, what it may do, and the hash of its token; without one it signs in through a proxy only."""

    name: str
    role: str
    sees_values: bool = False
    digest: str = _PROXY_ONLY

    @property
    def line(self) -> str:
        """The account as a line of the file."""
        return f"{self.name} {self.role}{'+' + VALUES if self.sees_values else ''} {self.digest}"

    def may(self, what: str) -> bool:
        """Whether the role includes this."""
        return what in ROLES[self.role]


def digest_of(token: str) -> str:
    """The hash that is kept of a token. Plain SHA-256 is enough, as a token, unlike a password, has 256 random bits."""
    return "sha256:" + hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """A token that nobody can guess; its prefix tells it apart from tokens of other programs."""
    return f"bh_{secrets.token_urlsafe(32)}"


def parse_role(text: str) -> tuple[str, bool]:
    """A role, and whether it sees values.

    >>> parse_role("decide+values"), parse_role("read")
    (('decide', True), ('read', False))
    """
    role, plus, more = text.partition("+")
    if role not in ROLES or (plus and more != VALUES):
        raise ByHistoryError(
            f"give the role {text!r}", "no such role", f"write {', '.join(ROLES)}, or one with +values"
        )
    return role, bool(plus)


def named(name: str, role: str, digest: str = _PROXY_ONLY) -> Account:
    """An account; an error for a name that the file cannot hold."""
    if not _NAME.fullmatch(name):
        raise ByHistoryError(
            f"make the account {name!r}", "a name with blanks, # or :", "use up to 64 other characters"
        )
    return Account(name, *parse_role(role), digest)


@dataclass(frozen=True, slots=True)
class Accounts:
    """The accounts of a file, by name."""

    by_name: dict[str, Account]

    def with_token(self, token: str) -> Account | None:
        """The account with this token. Every account is compared, so that the time it takes reveals nothing."""
        digest, found = digest_of(token), None
        for account in self.by_name.values():
            if hmac.compare_digest(account.digest.encode(), digest.encode()):
                found = account
        return found


def parse_accounts(text: str, where: str = "the accounts") -> Accounts:
    """The accounts in the text of a file: one per line, `name role hash`, with comments after #.

    >>> parse_accounts("ann decide+values -  # signs in through the proxy").by_name["ann"].sees_values
    True
    """
    found: dict[str, Account] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != _LINE:
            raise ByHistoryError(f"read {where}", f"line {number} with {len(words)} words", "write: name role hash")
        account = named(*words)
        found[account.name] = account
    return Accounts(found)


def read_accounts(file: Path) -> Accounts:
    """The accounts of a file; none if it is not there yet."""
    try:
        return parse_accounts(file.read_text("utf-8"), str(file))
    except FileNotFoundError:
        return Accounts({})
    except (OSError, UnicodeDecodeError) as why:
        raise ByHistoryError(f"read {file}", type(why).__name__, "give a readable text file") from why


def write_accounts(file: Path, accounts: Iterable[Account]) -> None:
    """Replace the file as a whole; only its owner may read it."""
    text = "# byhistory accounts: name role hash. Made by `byhistory account`.\n"
    text += "".join(f"{a.line}\n" for a in sorted(accounts, key=lambda a: a.name))
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        draft.replace(file)
    except OSError as why:
        draft.unlink(missing_ok=True)
        raise ByHistoryError(f"write {file}", type(why).__name__, "name a file that may be written") from why
