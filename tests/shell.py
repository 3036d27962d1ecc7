"""Our command as a shell would run it, in this process: a JVM starts once for all tests."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest import mock

from byhistory.cli import app


@dataclass(frozen=True)
class Answer:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def last(self) -> str:
        return self.out.rstrip("\n").rpartition("\n")[2]

    def explains(self, *words: str) -> bool:
        """Whether it is one line that says what was asked, what was found and what to do, with these words."""
        sentence = self.err.strip().rpartition("\n")[2]
        parts = [sentence.find(part) for part in ("Asked: ", "Found: ", "To go on: ")]
        missing = [word for word in words if word not in sentence]
        assert self.code == 2, (self.code, self.err)
        assert sentence.startswith("byhistory: "), self.err
        assert -1 < parts[0] < parts[1] < parts[2], sentence
        assert not missing, (missing, sentence)
        assert "Traceback" not in self.err
        assert not self.out
        return True


def byhistory(*args: object) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    # As wide everywhere: a test process of several has no terminal to ask, or one of 80 places.
    wide = {"COLUMNS": "100"}
    with mock.patch.dict(os.environ, wide), redirect_stdout(out), redirect_stderr(err), _ended() as code:
        app()([str(arg) for arg in args], prog_name="byhistory")
    return Answer(code[0], out.getvalue(), err.getvalue())


@contextmanager
def _ended() -> Iterator[list[int]]:
    code = [0]
    try:
        yield code
    except SystemExit as end:
        code[0] = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
