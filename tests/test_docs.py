"""Every Python block of the documentation runs, top to bottom, in one namespace per page.

A block after a line `<!-- spark -->` needs Spark: its page runs under the marker `spark`, with a local session named
`spark`. One after `<!-- not run -->` is left out; say why beside it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import transcripts

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"(?P<mark><!-- (?:spark|not run)[^\n]*-->\s*\n)?^```python\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[tuple[int, str, bool]]:
    """Line, code and whether it needs Spark, of every block that is run."""
    text = page.read_text(encoding="utf-8")
    found = [(text.count("\n", 0, m.start("code")) + 1, m["code"], m["mark"] or "") for m in BLOCK.finditer(text)]
    return [(line, code, "spark" in mark) for line, code, mark in found if "not run" not in mark]


def pages(with_spark: bool) -> list[object]:
    chosen = [p for p in PAGES if (found := blocks(p)) and any(spark for *_, spark in found) == with_spark]
    return [pytest.param(p, id=str(p.relative_to(ROOT))) for p in chosen]


def run(page: Path, namespace: dict[str, object]) -> None:
    for line, code, _ in blocks(page):
        # Lines are counted as on the page, so that an error points there.
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)  # noqa: S102 - our own documentation


@pytest.mark.parametrize("page", pages(with_spark=False))
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    run(page, namespace)
    assert len(namespace) > 2, "nothing on the page left a name behind"  # Python itself adds one


@pytest.mark.spark
@pytest.mark.own_process
@pytest.mark.parametrize("page", pages(with_spark=True))
def test_the_examples_of_a_page_run_on_spark(page, tmp_path):
    # In a process of its own, as a reader would: Spark reads "lake/orders" from where its JVM was started.
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from byhistory.spark.session import local_session\n"
        "from tests.test_docs import run\n"
        f"run(Path({str(page)!r}), {{'__name__': '__main__', 'spark': local_session('byhistory-docs')}})\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_command_says_the_same_on_every_page():
    said: dict[str, set[str]] = {}
    for name in transcripts.PAGES:
        for text in transcripts.transcripts(ROOT / name):
            for command, answer in transcripts.commands(text):
                said.setdefault(command.partition("  #")[0].strip(), set()).add(answer)
    assert len(said) >= 8
    assert not [command for command, answers in said.items() if len(answers) > 1], "run python -m scripts.transcripts"


def test_the_pages_that_must_have_examples_have_them():
    assert blocks(ROOT / "docs" / "how-to" / "extend.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [t.partition("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in t]
    assert not [t for t in targets if t and not (page.parent / t).exists()]
