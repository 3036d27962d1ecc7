"""What does the address of a store name, and how much of it may be shown?"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

# SQLAlchemy's URL hides the password of a well-formed address only: of one with an @ in it, or of `?sslpassword=…`, it
# shows a part. Users paste both, so the address is read as text.
_USER = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*:/+)(?P<user>[^:/?]*)(?P<secret>:.*)?@", re.DOTALL)
_OPTION = re.compile(r"(?i)([\w.-]*(?:pass|pwd|secret|token|key|sig|credential)[\w.-]*\s*[=:]\s*)('[^']*'|[^&\s;,]+)")


def redacted(url: str) -> str:
    """The address without secrets: without all between the user's name and the last @, and without secret options.

    >>> redacted("postgresql://ann:s3cr@t/!@db.example:5432/quality?sslpassword=x&connect_timeout=3")
    'postgresql://ann:***@db.example:5432/quality?sslpassword=***&connect_timeout=3'
    """
    shown = _USER.sub(lambda m: f"{m['scheme']}{m['user']}{':***' if m['secret'] else ''}@", url, count=1)
    return _OPTION.sub(r"\1***", shown)


def without_secrets(message: str, url: str) -> str:
    """A driver's message without any secret of the address, as written there or decoded.

    >>> without_secrets("no such port 's3cr@t'", "postgresql://ann:s3cr%40t@db/quality")
    "no such port '***'"
    """
    user = _USER.search(url)
    secrets = [user["secret"][1:]] if user and user["secret"] else []
    secrets += [option[2] for option in _OPTION.finditer(url)]
    for secret in sorted({s for raw in secrets for s in (raw, unquote(raw)) if s}, key=len, reverse=True):
        message = message.replace(secret, "***")
    return redacted(message)


def path_of(url: str) -> Path:
    """The file that an address names; a path without `sqlite:///` is taken as it is, whatever characters are in it.

    >>> path_of("sqlite:///a%20b.db?mode=ro").name, path_of("a%20b?.db").name
    ('a b.db', 'a%20b?.db')
    """
    return Path(unquote(url.removeprefix("sqlite:///").partition("?")[0]) if url.startswith("sqlite:") else url)
