"""The transcripts in the documentation, played again: `python -m scripts.transcripts` writes them, `--check` compares.

A block of a page whose first line begins with `$ byhistory` is a transcript. Its commands are run on the orders of the
demo, each day delivered when it is checked and at its hour, by the engine that needs no Spark; what they say takes the
place of what was there. A transcript begins with a history of its own unless it goes on with that of the page.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from byhistory.cli import app
from byhistory.demo import PAST, WEEK, arrival, is_late_at, write_day, write_lake
from byhistory.demo.orders import FIRST_DAY
from byhistory.validator import Validator

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/index.md", "docs/tutorial.md")
BLOCK = re.compile(r"^```\n(?P<text>\$ byhistory .*?)^```", re.MULTILINE | re.DOTALL)
_WHERE = re.compile(r""" --where "[^"]*\"""")
"""Only Spark's reader takes a condition; here the days after it are not delivered yet."""
_DAY = re.compile(r"ds=(\d{4}-\d{2}-\d{2})")
_WIDTH = "140"


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a transcript as they are written, each with its answer."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(head, answer.rstrip("\n")) for head, _, answer in (part.partition("\n") for part in parts)]


def transcripts(page: Path) -> list[str]:
    """The transcripts of a page."""
    return [found["text"] for found in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def played(page: Path) -> str:
    """The page with its transcripts as they are now."""
    with _shop() as clock:
        return BLOCK.sub(lambda found: f"```\n{_again(found['text'], clock)}```", page.read_text(encoding="utf-8"))


def _again(text: str, clock: list[datetime]) -> str:
    return "\n".join(f"$ {command}\n{_answer(command, clock)}\n" for command, _ in commands(text))


def _answer(command: str, clock: list[datetime]) -> str:
    arguments = shlex.split(_WHERE.sub("", command), comments=True)[1:]
    if arguments[0] == "check":
        clock[0] = _delivered(_DAY.findall(command)[0])
    elif arguments[0] == "due":
        clock[0] = is_late_at()
    answer = CliRunner().invoke(app(), arguments, env={"COLUMNS": _WIDTH})
    if answer.exit_code not in (0, 1):
        raise SystemExit(f"{command}: {answer.output}")
    return answer.stdout.rstrip("\n")


def _delivered(day: str) -> datetime:
    """Write the orders of a day of the demo's week, and tell when they came."""
    number = (datetime.fromisoformat(day).date() - FIRST_DAY).days
    incident = next((d.incident for d in WEEK if d.number == number), None)
    write_day(Path("lake/orders"), number, incident)
    return arrival(number)


@contextmanager
def _shop() -> Iterator[list[datetime]]:
    """A month of orders in a directory of its own, and the time there."""
    clock, here = [arrival(PAST - 1)], Path.cwd()
    defaults: dict[str, Any] = Validator.__init__.__kwdefaults__ or {}
    with tempfile.TemporaryDirectory(prefix="byhistory-transcripts-") as folder:
        kept = defaults["clock"]
        defaults["clock"] = lambda: clock[0]  # commands have no option for the time, and nobody needs one
        os.chdir(folder)
        try:
            Path("byhistory.toml").write_text('engine = "local"\n', encoding="utf-8")
            write_lake(Path("lake/orders"), PAST)
            yield clock
        finally:
            os.chdir(here)
            defaults["clock"] = kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a page is not current")
    asked = parser.parse_args()
    old = []
    for name in PAGES:
        page = ROOT / name
        now = played(page)
        if now != page.read_text(encoding="utf-8"):
            old.append(name)
            if not asked.check:
                page.write_text(now, encoding="utf-8")
    what = "not current" if asked.check else "written"
    print(f"transcripts: {', '.join(old)} {what}" if old else "transcripts: all current")
    sys.exit(1 if old and asked.check else 0)


if __name__ == "__main__":
    main()
