"""A real browser for the tests: Debian's Chromium, installed when missing and possible, or loudly missing.

Spoken to by its own driver in plain HTTP (WebDriver), which needs no package: it opens a page, runs a script in it, and
tells what the page asked the network for and what went wrong in it.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MISSING = "no browser: "
"""How the reason to skip a test begins, so that the end of the test report can say it again."""

_FLAGS = (
    "--headless",
    "--no-sandbox",  # there is none for root in a container
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is on this machine


def binaries() -> tuple[str, str] | str:
    """Where the browser and its driver are, or why they are not."""
    found = _installed()
    if found is not None:
        return found
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return "no chromium and chromedriver are installed, and only root with apt-get could install them"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "--no-install-recommends", "chromium", "chromium-driver"]
    for command in (["apt-get", "update"], install):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
        except subprocess.TimeoutExpired:
            return f"`{' '.join(command)}` took more than 600 seconds"
        if done.returncode and command is install:
            return f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()[-200:]}"
    return _installed() or "the packages were installed, but there is no chromium or no chromedriver on the PATH"


def _installed() -> tuple[str, str] | None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One window. A class because it is a session with another program."""

    def __init__(self, address: str) -> None:
        self._address = address

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """One command of the WebDriver protocol."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}{path}", data, method=method)  # noqa: S310 - our own driver
        try:
            with _DIRECT.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, page: Path, fragment: str = "") -> None:
        self.ask("POST", "/url", {"url": f"{page.as_uri()}{fragment}"})

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script in the page returns."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def command(self, name: str, **parameters: Any) -> Any:
        """One command of the browser's own protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def size(self, width: int, height: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def scheme(self, name: str) -> None:
        """Light or dark."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def picture(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self) -> list[str]:
        """What the page wrote to the console since the last time: errors, warnings, breaches of its policy."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """What the page asked for since the last time."""
        events = [json.loads(e["message"])["message"] for e in self.ask("POST", "/se/log", {"type": "performance"})]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


@contextmanager
def running() -> Iterator[Browser]:
    """A browser with an empty profile, closed at the end."""
    tools = binaries()
    if isinstance(tools, str):
        raise LookupError(tools)
    with tempfile.TemporaryDirectory(prefix="byhistory-chromium-", ignore_cleanup_errors=True) as folder:
        driver = subprocess.Popen([tools[1], "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            port = next(
                (m[1] for line in driver.stdout or () if (m := re.search(r"successfully on port (\d+)", line))), None
            )
            if port is None:
                raise LookupError("the driver of the browser did not start")
            options = {"binary": tools[0], "args": [*_FLAGS, f"--user-data-dir={folder}"]}
            wanted = {
                "browserName": "chrome",
                "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }
            address = f"http://127.0.0.1:{port}/session"
            made = Browser(address).ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
            session = Browser(f"{address}/{made['sessionId']}")
            session.ask("POST", "/url", {"url": "about:blank"})
            session.requests()  # those of the page that a new window shows
            try:
                yield session
            finally:
                session.ask("DELETE", "")
        finally:
            driver.terminate()
            driver.wait(20)
            if driver.stdout is not None:
                driver.stdout.close()
