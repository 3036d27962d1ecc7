"""The past in PostgreSQL: the team's."""

from __future__ import annotations

import importlib.util
import re
from functools import partial
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from byhistory.errors import StoreError
from byhistory.history.sql import SqlStore
from byhistory.history.url import redacted, without_secrets

_PATIENCE = 10  # Seconds to wait for a connection, unless the address says `connect_timeout`.


def open_postgres(url: str) -> SqlStore:
    """The store in the database that `postgresql://user:password@host/database` names; made if there is none."""
    asked = f"open the store {redacted(url)}"
    if importlib.util.find_spec("psycopg") is None:
        raise StoreError(asked, "no driver for PostgreSQL", 'install it: pip install "byhistory[postgres]"')
    try:
        address = make_url(re.sub(r"^postgres(ql)?(\+psycopg)?:", "postgresql+psycopg:", url))
    except (ArgumentError, ValueError):
        # Not `from`: the error may quote the whole address.
        raise StoreError(
            asked, "an address that cannot be read", "write postgresql://user:password@host:5432/database"
        ) from None
    driver: dict[str, Any] = {} if "connect_timeout" in address.query else {"connect_timeout": _PATIENCE}
    # pre_ping: between two runs the server may have closed the connection.
    engine = create_engine(
        address,
        connect_args=driver | {"cursor_factory": _binary},
        hide_parameters=True,
        pool_pre_ping=True,
        isolation_level="READ COMMITTED",  # The row locks of `record` rely on it, whatever the server's default is.
    )
    try:
        return SqlStore(engine, redacted(url), partial(_explained, url))
    except BaseException:
        engine.dispose()
        raise


def _binary(*arguments: Any, **options: Any) -> Any:
    """A cursor that gets bytes as bytes: as text they are twice as many, and take a check twice as long."""
    import psycopg

    cursor: Any = psycopg.Cursor(*arguments, **options)
    cursor.format = psycopg.pq.Format.BINARY
    return cursor


def _explained(url: str, asked: str, why: Exception) -> StoreError:
    message = " ".join(without_secrets(str(why), url).split())
    state = getattr(why, "sqlstate", None) or ""
    if state == "42501":
        return StoreError(asked, f"missing rights ({message})", "grant them, or let the owner open the store once")
    if state.startswith("28") or "authentication" in message:
        return StoreError(asked, f"a refused login ({message})", "check the user and the password in the address")
    if state.startswith(("40", "55")):
        return StoreError(asked, f"another process at the same rows ({message})", "try again", is_transient=True)
    if not state or state.startswith(("08", "57")) or state == "3D000":
        return StoreError(
            asked,
            f"no answer from the database ({message})",
            "check host, port and database, then try again",
            is_transient=state != "3D000",
        )
    return StoreError(
        asked, f"an error of PostgreSQL ({message})", "check the address, the rights and the server's log"
    )
