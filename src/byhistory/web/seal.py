"""Sessions: a cookie that the console has sealed, and the forms that belong to it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

HOURS = 12
"""How long a session lasts, by choice: a working day."""
FORM_FIELD = "seal"


@dataclass(frozen=True, slots=True)
class Session:
    """One browser: a random id, and who signed in there, if anybody; `token` is the end of the token's hash."""

    id: str
    name: str = ""
    token: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Seal:
    """Makes and reads cookies that nobody else can make."""

    secret: bytes
    is_https: bool = False

    @property
    def cookie(self) -> str:
        """`__Host-` makes a browser insist on https, on this host and on no other path."""
        return "__Host-byhistory" if self.is_https else "byhistory"

    def session_of(self, request: Request) -> Session:
        """The session of a request; a new one if there is no valid one."""
        body, _, mark = request.cookies.get(self.cookie, "").rpartition(".")
        if body and hmac.compare_digest(self._mark("session", body).encode(), mark.encode("utf-8", "replace")):
            try:
                kept = json.loads(base64.urlsafe_b64decode(body))
                if float(kept["until"]) > time.time():  # noqa: TID251 - a cookie ages by the clock of the server
                    return Session(str(kept["id"]), str(kept["name"]), str(kept["token"]))
            except (ValueError, LookupError, TypeError):
                pass
        return Session(secrets.token_urlsafe(16), is_new=True)

    def keep(self, response: Response, session: Session) -> None:
        """Give a session to the browser."""
        until = time.time() + HOURS * 3600  # noqa: TID251 - as above
        body = {"id": session.id, "name": session.name, "token": session.token, "until": until}
        text = base64.urlsafe_b64encode(json.dumps(body).encode()).decode()
        response.set_cookie(
            self.cookie,
            f"{text}.{self._mark('session', text)}",
            max_age=HOURS * 3600,
            httponly=True,
            samesite="lax",  # strict would sign people out who follow a link from a message
            secure=self.is_https,
            path="/",
        )

    def drop(self, response: Response) -> None:
        """Take the session from the browser."""
        response.delete_cookie(self.cookie, path="/", secure=self.is_https, httponly=True, samesite="lax")

    def of_form(self, session: Session) -> str:
        """What a form must carry to be one of this session."""
        return self._mark("form", f"{session.id} {session.name}")

    def is_of(self, session: Session, mark: str) -> bool:
        """Whether a form is one of this session."""
        own = self.of_form(session).encode()
        return not session.is_new and hmac.compare_digest(own, mark.encode("utf-8", "replace"))

    def _mark(self, what: str, text: str) -> str:
        return hmac.new(self.secret, f"{what}:{text}".encode(), hashlib.sha256).hexdigest()
