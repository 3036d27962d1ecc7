"""A PostgreSQL of our own, for the time of the tests: found, or installed where that is possible, or loudly missing."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

_PASSWORD = "not a secret: /?@ÿ"  # noqa: S105 - of a server that lives as long as the tests; odd on purpose


def binaries() -> Path | str:
    """Where initdb and postgres are, or why they are not."""
    found = _installed()
    if found is not None:
        return found
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return "no server is installed (/usr/lib/postgresql/*/bin), and only root with apt-get could install one"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", "postgresql"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
        except subprocess.TimeoutExpired:
            return f"`{' '.join(command)}` took more than 300 seconds"
        if done.returncode and command[1] == "install":
            return f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()[-200:]}"
    return _installed() or "the package was installed, but has no /usr/lib/postgresql/*/bin/initdb"


def _installed() -> Path | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(float(p.parent.name)), reverse=True)
    on_path = shutil.which("initdb")
    places += [Path(on_path).resolve().parent] if on_path else []
    return next((p for p in places if (p / "initdb").exists() and (p / "postgres").exists()), None)


@contextmanager
def running(folder: Path, *, is_durable: bool = False) -> Iterator[str]:
    """A server on a free port of this machine, stopped at the end; its address with a password. To measure: durable."""
    tools = binaries()
    if isinstance(tools, str):
        raise LookupError(tools)
    with tempfile.TemporaryDirectory(prefix="byhistory-postgres-") as place:
        # PostgreSQL refuses to run as root, and pytest's own folders are closed to other users.
        who = _somebody_else() if os.geteuid() == 0 else None
        if who is not None:
            os.chown(place, pwd.getpwnam(who).pw_uid, pwd.getpwnam(who).pw_gid)
        asking = {"user": who, "group": pwd.getpwnam(who).pw_gid, "extra_groups": []} if who else {}
        secret = Path(place) / "password"
        secret.write_text(_PASSWORD)
        secret.chmod(0o644)
        data = f"{place}/data"
        choices = ["-U", "byhistory", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "--no-locale"]
        made = subprocess.run(
            [tools / "initdb", "-D", data, "--no-sync", *choices],
            capture_output=True,
            text=True,
            check=False,
            cwd=place,
            **asking,
        )
        if made.returncode:
            raise LookupError(f"initdb failed: {made.stderr.strip()[-200:]}")
        port = _free_port()
        log = (folder / "postgres.log").open("wb")
        # No fsync: the tests kill clients, never the server. The socket's path would be too long in pytest's folders.
        options = ["-p", str(port), "-h", "127.0.0.1", "-k", place, "-c", "max_connections=50"]
        options += [] if is_durable else ["-c", "fsync=off"]
        server = subprocess.Popen(
            [tools / "postgres", "-D", data, *options], stdout=log, stderr=log, cwd=place, **asking
        )
        try:
            for _ in range(100):
                ready = [tools / "pg_isready", "-h", "127.0.0.1", "-p", str(port), "-t", "1"]
                if subprocess.run(ready, capture_output=True, check=False).returncode == 0:
                    break
                try:
                    server.wait(0.2)
                    raise LookupError(f"the server ended: {(folder / 'postgres.log').read_text()[-200:]}")
                except subprocess.TimeoutExpired:
                    continue
            yield f"postgresql://byhistory:{quote(_PASSWORD, safe='')}@127.0.0.1:{port}/postgres"
        finally:
            server.send_signal(2)  # SIGINT: end the sessions, then end.
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
            log.close()


def _somebody_else() -> str:
    names = {user.pw_name for user in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])
