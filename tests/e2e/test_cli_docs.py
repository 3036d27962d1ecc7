"""The commands of the tutorial run as they stand there."""

import re
import shlex
from pathlib import Path

import pytest
from tests.shell import byhistory

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)


@pytest.mark.spark
@pytest.mark.slow
def test_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = 0
    for line in COMMANDS:
        command, *args = shlex.split(line, comments=True)
        if command == "cd":
            monkeypatch.chdir(Path.cwd() / args[0])
        elif command == "export":
            monkeypatch.setenv(*args[0].split("=", 1))
        elif command == "unset":
            monkeypatch.delenv(args[0])
        elif command == "byhistory":
            answer = byhistory(*args)
            assert answer.code == (1 if answer.last.startswith("stop:") else 0), (line, answer.err)
            if args[0] in ("backfill", "check"):  # their answers are on the page
                assert any(_without_numbers(answer.out) in shown for shown in SHOWN), answer.out
            ran += 1
        else:
            assert command == "pip", line
    assert ran >= 8


def _without_numbers(text: str) -> str:
    """Word for word, but for numbers and blocks, which another release of numpy may round otherwise, and line ends."""
    return re.sub(r"[\s\d.,–▁-█]+", " ", text).strip()


COMMANDS = [
    line.removeprefix("$ ")
    for language, text in BLOCKS
    for line in text.splitlines()
    if language == "sh" or (not language and line.startswith("$ "))
]
"""What is typed in the course of the page: blocks of commands, and the lines behind a prompt."""
SHOWN = [_without_numbers(text) for language, text in BLOCKS if not language]
