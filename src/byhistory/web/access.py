"""Who is asking, and may they?"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request

from byhistory.errors import ByHistoryError
from byhistory.web.accounts import ROLES, Account, Accounts, read_accounts
from byhistory.web.seal import Seal, Session

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]", "::1")


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that says who is asking: its header, the addresses it may use, the role of those without an account."""

    header: str
    peers: tuple[str, ...]
    role: str = "read"

    def trusts(self, peer: str) -> bool:
        """Whether a request came from the proxy itself."""
        try:
            address = ipaddress.ip_address(peer)
            return any(address in ipaddress.ip_network(network, strict=False) for network in self.peers)
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class Access:
    """How people get in: by the token of an account, by what a proxy says, or freely, on this machine only."""

    file: Path | None = None
    proxy: Proxy | None = None
    local_user: str = ""
    """The name that decisions get where nobody signs in: the user that runs the console."""
    secret: bytes = b""
    is_https: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nobody has to sign in."""
        return self.file is None and self.proxy is None

    @property
    def seal(self) -> Seal:
        """What sessions are sealed with."""
        return Seal(self.secret, self.is_https)

    def accounts(self) -> Accounts:
        """The accounts as they are in the file now: one that is removed is out at once."""
        if self.file is None:
            return Accounts({})
        try:
            found = self.file.stat()
            return _read(self.file, found.st_mtime_ns, found.st_size, found.st_ino)
        except FileNotFoundError:
            return Accounts({})


@lru_cache(maxsize=8)
def _read(file: Path, *_changed: int) -> Accounts:
    return read_accounts(file)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in: `by` says how, and their forms are tied to `session`."""

    account: Account
    by: str
    session: Session

    @property
    def name(self) -> str:
        """The name that decisions are signed with."""
        return self.account.name

    def may(self, what: str) -> bool:
        """Whether they may do this."""
        return self.account.may(what)


def visitor(access: Access, request: Request) -> Visitor | None:
    """Who is asking; None if nobody can tell."""
    peer = request.client.host if request.client else ""
    session = access.seal.session_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        account = access.accounts().with_token(token.strip())
        return None if account is None else Visitor(account, "token", session)
    if access.proxy is not None and access.proxy.trusts(peer):
        name = request.headers.get(access.proxy.header, "").strip()[:64]
        if name:
            account = access.accounts().by_name.get(name) or Account(name, access.proxy.role)
            return Visitor(account, "proxy", session)
    if access.is_open:
        return Visitor(Account(access.local_user, "decide", sees_values=True), "local", session)
    account = access.accounts().by_name.get(session.name)
    # Tied to the token, too: a session ends when its account gets another token.
    if account is not None and session.name and session.token == account.digest[-16:]:
        return Visitor(account, "session", session)
    return None


def address_of(access: Access, request: Request) -> str:
    """Where a request comes from: behind a proxy that is trusted, the last address that it names itself.

    Those before it were written by whoever asks. Without this, somebody who guesses tokens would lock out all others.
    """
    peer = request.client.host if request.client else ""
    if access.proxy is not None and access.proxy.trusts(peer):
        return request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()[:64] or peer
    return peer


def checked(access: Access, host: str) -> None:
    """Raise an error for a console that anybody can reach without signing in."""
    if access.is_open and host not in LOOPBACK_NAMES:
        todo = "give --accounts FILE (see `byhistory account`) or --proxy-header and --proxy-from"
        raise ByHistoryError(f"serve the console on {host}", "no way to tell who is asking", todo)
    if access.proxy is not None:
        if not access.proxy.peers:
            todo = "name the proxy's address: --proxy-from 10.0.0.7"
            raise ByHistoryError(f"trust the header {access.proxy.header}", "no address that may send it", todo)
        if access.proxy.role not in ROLES:
            raise ByHistoryError("trust a proxy", f"the role {access.proxy.role!r}", f"use one of {', '.join(ROLES)}")
        try:
            for network in access.proxy.peers:
                ipaddress.ip_network(network, strict=False)
        except ValueError as why:
            raise ByHistoryError("trust a proxy", str(why), "give an address or a network, as 10.0.0.0/24") from why
