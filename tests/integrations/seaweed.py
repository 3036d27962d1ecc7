"""A real S3 server (SeaweedFS) on loopback, for the time of some tests."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pyarrow import fs
from tests.integrations.hosts import host

IDENTITY = {"name": "tests", "credentials": [{"accessKey": "any", "secretKey": "any"}], "actions": ["Admin"]}
OTHERS = ["-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false"]
"""Off: what listens on a port that is the same for every server, so that a second one would end, and statistics."""
PATIENCE = 120
"""Seconds that the server may take to answer its first request."""


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on; the server takes the one ten thousand above each, too."""
    found: list[int] = []
    for port in random.sample(range(20_000, 30_000), 1_000):
        with socket.socket() as one, socket.socket() as above, suppress(OSError):
            one.bind(("127.0.0.1", port))
            above.bind(("127.0.0.1", port + 10_000))
            found.append(port)
        if len(found) == count:
            break
    return found


@contextmanager
def serving(folder: Path, bucket: str) -> Iterator[dict[str, str]]:
    """A server with one bucket, as soon as it answers; how pyarrow reaches it."""
    weed = host("s3").with_name("weed")
    (folder / "s3.json").write_text(json.dumps({"identities": [IDENTITY]}))
    names = ("s3", "master", "volume", "filer")
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    options = [f"-{name}.port={port}" for name, port in ports.items()] + OTHERS
    with (folder / "log").open("wb") as log:
        command = [weed, "server", f"-dir={folder}", "-ip=127.0.0.1", "-s3", f"-s3.config={folder}/s3.json", *options]
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    said = {
        "endpoint_override": f"127.0.0.1:{ports['s3']}",
        "scheme": "http",
        "access_key": "any",
        "secret_key": "any",
        "region": "us-east-1",
    }
    try:
        _wait(said, bucket, time.monotonic() + PATIENCE)
        yield said
    finally:
        server.kill()
        server.wait()


def address(said: dict[str, str], path: str) -> str:
    """The address of a path in a bucket there."""
    asked = "&".join(f"{name}={said[name]}" for name in ("endpoint_override", "scheme", "region"))
    return f"s3://{said['access_key']}:{said['secret_key']}@{path}?{asked}"


def _wait(said: dict[str, str], bucket: str, until: float) -> None:
    """Until files can be written: the part that keeps them comes up last."""
    system = fs.S3FileSystem(**said, allow_bucket_creation=True)
    while True:
        try:
            system.create_dir(bucket)
            with system.open_output_stream(f"{bucket}/up") as file:
                file.write(b"up")
            system.delete_file(f"{bucket}/up")
            return
        except OSError:  # noqa: PERF203 - it waits anyway
            if time.monotonic() > until:
                raise
            time.sleep(1)
