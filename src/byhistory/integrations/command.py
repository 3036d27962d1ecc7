"""For any host that can start a process: run `byhistory check`, perhaps of another environment, and read its answer."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from byhistory.errors import ByHistoryError

HERE = (sys.executable, "-c", "from byhistory.cli import main; main()")
"""The command of the very byhistory that is imported, whatever is on the PATH."""
STOP, COULD_NOT_RUN, NOT_WHOLE = 1, 2, 3
"""The exit codes of `byhistory check` other than 0."""
_REPEATED = 2_000
"""How many characters of a failed command's messages an error repeats, by choice."""


@dataclass(frozen=True, slots=True)
class Command:
    """A check as it would be typed.

    `options` are those of `byhistory check` ("--run-column", "ds"). `program` starts byhistory, if it is not this one:
    ("/opt/byhistory/bin/byhistory",). A page about each run is written to the folder `reports`, which people find at
    `reports_url`.
    """

    table: str
    path: str = ""
    run: str = ""
    options: tuple[str, ...] = ()
    store: str = ""
    config: str = ""
    program: tuple[str, ...] = HERE
    reports: str = ""
    reports_url: str = ""

    def general(self) -> list[str]:
        """The options that every command has."""
        named = [("--store", self.store), ("--config", self.config)]
        return [part for name, value in named if value for part in (name, value)]

    def arguments(self, verdict: Path) -> list[str]:
        """The whole command line; the verdict goes to a file."""
        label = [f"--run={self.run}"] if self.run else []
        where = [self.table, *([self.path] if self.path else [])]
        # Behind the dashes a name is a name, even one that looks like an option.
        return [*self.program, *self.general(), "check", *label, *self.options, "-o", str(verdict), "--", *where]


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a check: the verdict as in `byhistory check --json`, and the page about it."""

    table: str
    run: str
    status: str
    level: str
    is_stopped: bool
    """Whether the run must not go on; never in shadow mode."""
    sentence: str
    """The last line that the command wrote: the verdict in a line."""
    verdict: Mapping[str, Any] = field(default_factory=dict)
    report: str = ""
    """Where people find the page: an address, or else the path of the file."""


def check(command: Command, tell: Callable[[str], None] = print) -> Checked:
    """Run a check to its end; `tell` gets every line of its answer. An error if the run could not be judged."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "verdict.json"
        done = _ran(command.arguments(file))
        for line in done.stdout.splitlines():
            tell(line)
        if done.returncode not in (0, STOP, NOT_WHOLE) or not file.exists():
            raise ByHistoryError(
                f"check {command.table!r} by {command.program[0]}",
                f"exit code {done.returncode}: {done.stderr.strip()[-_REPEATED:] or 'no message'}",
                "see what it says; a scheduler may try again, as nothing was judged",
            )
        verdict = json.loads(file.read_text(encoding="utf-8"))
    return Checked(
        command.table,
        verdict["run"],
        verdict["status"],
        verdict["level"],
        done.returncode == STOP,
        next((line for line in reversed(done.stdout.splitlines()) if line.strip()), ""),
        verdict,
        _reported(command, verdict["run"]) if command.reports else "",
    )


def _reported(command: Command, run: str) -> str:
    """Write the page about a run into the folder of reports; gives its address or path."""
    name = quote(f"{command.table}-{run}.html", safe="")
    page = Path(command.reports) / name
    page.parent.mkdir(parents=True, exist_ok=True)
    done = _ran([*command.program, *command.general(), "report", "-o", str(page), "--", command.table, run])
    if done.returncode:
        raise ByHistoryError(f"report on {command.table!r}", done.stderr.strip()[-_REPEATED:], "see what it says")
    # A name that was quoted for the disk is quoted once more for an address.
    return f"{command.reports_url.rstrip('/')}/{quote(name)}" if command.reports_url else str(page.resolve())


def _ran(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(arguments, capture_output=True, text=True, check=False)  # noqa: S603 - no shell reads it
    except OSError as why:
        todo = "give the path of the byhistory command as `program`"
        raise ByHistoryError(f"start {arguments[0]}", why.strerror or type(why).__name__, todo) from why
