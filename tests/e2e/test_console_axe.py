"""Who uses no mouse, or does not see the page: axe finds nothing serious on any page of the console.

The checker is axe-core of npm, fetched once by the test and held by its checksum: an integration test.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.browser import Browser
from tests.e2e.test_console_browser import press, text, wait
from tests.unit.web.consoles import TODAY, TOKENS

from byhistory.web.links import link

pytestmark = pytest.mark.integration

AXE, SHA256 = "axe-core@4.14.0", "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then((found) => done(found.violations
  .filter((v) => ["serious", "critical"].includes(v.impact))
  .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")}`)));
"""
ORDERS = {"t": "orders", "r": TODAY, "c": "amount"}
PAGES = {
    "all tables": "/",
    "day": "/day",
    "an empty day": "/day?d=2020-01-01",
    "table": link("/table", **ORDERS),
    "run": link("/run", **ORDERS),
    "column": link("/column", **ORDERS),
    "preview": link("/preview", what="new normal", **ORDERS),
    "budgets": link("/backtest", **ORDERS),
    "no such table": link("/table", t="nothing"),
    "no such page": "/nowhere",
    "nothing found": "/?q=nothing",
}
WINDOWS = {
    "light": (1280, 900, "light"),
    "dark": (1280, 900, "dark"),
    "phone": (390, 844, "light"),
    "200 %": (640, 450, "dark"),
}


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script, as npm has it."""
    if shutil.which("npm") is None:
        pytest.skip("no npm")
    folder = tmp_path_factory.mktemp("npm")
    done = subprocess.run(["npm", "pack", AXE], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        pytest.skip(f"npm has no {AXE}: {done.stderr.strip()[-200:]}")
    (packed,) = Path(folder).glob("*.tgz")
    with tarfile.open(fileobj=io.BytesIO(packed.read_bytes())) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        script = member.read()
    assert hashlib.sha256(script).hexdigest() == SHA256
    return script.decode()


def serious(window: Browser, axe: str) -> Any:
    window.run(f"{axe}; return true")
    return window.ask("POST", "/execute/async", {"script": RUN, "args": []})


def test_no_page_has_a_serious_fault_for_who_uses_it_in_another_way(window, served, axe):
    _, url = served
    window.ask("POST", "/url", {"url": url})
    assert serious(window, axe) == []  # the page to sign in
    press(window, TOKENS["decide"] + "\ue007")
    wait(lambda: "1 alarm to answer" in text(window))
    found: dict[str, Any] = {}
    for name, path in PAGES.items():
        for shape, (width, height, scheme) in WINDOWS.items():
            window.size(width, height)
            window.scheme(scheme)
            window.ask("POST", "/url", {"url": url + path})
            window.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            if wide := window.run("return document.documentElement.scrollWidth > innerWidth"):
                found[f"{name}, {shape}, wider than the window"] = wide
            if faults := serious(window, axe):
                found[f"{name}, {shape}"] = faults
    window.ask("POST", "/url", {"url": "about:blank"})
    assert found == {}
