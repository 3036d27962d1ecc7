"""What the processes do that are killed, or race each other, in the attacks on a guard."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

import numpy as np
from sqlalchemy import Engine, event
from tests.e2e.store_worker import count_to

from byhistory.config import Config
from byhistory.errors import ByHistoryError
from byhistory.history.backup import backup
from byhistory.history.files import Files
from byhistory.profile import TableProfile
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
PAST = 9
"""Runs that are there before an attack; the run after them was stopped, and is what people decide about."""


def label(day: int) -> str:
    return str((AT + timedelta(days=day)).date())


def batch(day: int, times: float = 1.0) -> TableProfile:
    random = np.random.default_rng(abs(day))  # noqa: TID251 - a test names its seed
    return profile_table({"amount": times * random.gamma(9.0, 10.0, 60)}, run=label(day))


def guarding(url: str) -> Validator:
    return Validator(url, config=Config(), clock=lambda: AT)


def begin(url: str) -> None:
    """Runs as usual, and one that is a hundred times too large."""
    with guarding(url) as guard:
        guard.remember([batch(day) for day in range(PAST)], "orders")
        assert not guard.judge(batch(PAST, 100.0), "orders").ok


COMMANDS: dict[str, Callable[[Validator], Any]] = {
    "check": lambda guard: guard.judge(batch(PAST + 1), "orders"),
    "deliver again": lambda guard: guard.judge(batch(PAST), "orders"),
    "late run": lambda guard: guard.judge(batch(-1), "orders"),
    "accept": lambda guard: guard.decisions.accept("orders", label(PAST), who="ann"),
    "usual": lambda guard: guard.decisions.accept("orders", label(PAST), usual=True, who="dan"),
    "reject": lambda guard: guard.decisions.reject("orders", label(PAST), who="bob"),
    "new normal": lambda guard: guard.decisions.accept("orders", label(PAST), new_normal=True, who="cyd"),
    "snooze": lambda guard: guard.decisions.snooze("orders", label(PAST), label(PAST), who="eve"),
    "undo": lambda guard: guard.decisions.undo("orders", label(PAST), who="fay"),
    "mute": lambda guard: guard.overrides.mute("orders", "amount", "median"),
    "threshold": lambda guard: guard.overrides.set_threshold("orders", "amount", "min", low=-1e9),
    "unset": lambda guard: guard.overrides.clear("orders", "amount", "p95"),
    "forget": lambda guard: guard.records.forget("orders", label(0)),
    "backfill": lambda guard: guard.remember([batch(day) for day in range(PAST)], "orders"),
    "relearn": lambda guard: guard.learning.relearn("orders"),
    "verify": lambda guard: guard.records.verify(),
}
SAID = {"accept": "accept", "usual": "usual", "reject": "reject", "new normal": "new normal"}
SAID |= {"snooze": "snooze", "undo": "undo"}
"""What is kept of a command that says something about a run."""
REQUESTS = {
    getattr(Files, name).__code__ for name in ("names", "top", "read", "opened", "put", "put_if_absent", "remove")
}
"""What is asked of a server of files."""
SET = {"mute": "median", "threshold": "min", "unset": "p95"}
"""The metric that a command sets something about."""


def killed(answers: Connection, url: str, command: str, point: int) -> None:
    """Do a command, killed before the given effect; 0 to count them.

    An effect is a call that reaches for a file; on PostgreSQL it is a statement, or the end of a transaction; on S3
    it is the begin or the end of what is asked of the server.
    """
    with guarding(url) as guard:
        if url.startswith("postgres"):
            counted = _count_statements(point)
        else:
            counted = _count_requests(point) if url.startswith("s3") else count_to(point, every=False)
        COMMANDS[command](guard)
        sys.setprofile(None)
        answers.send(counted[0])


def _count_statements(point: int) -> list[int]:
    counted = [0]

    def step(*_: object) -> None:
        counted[0] += 1
        if counted[0] == point:
            os.kill(os.getpid(), signal.SIGKILL)

    for what in ("before_cursor_execute", "after_cursor_execute", "commit"):
        event.listen(Engine, what, step)
    return counted


def _count_requests(point: int) -> list[int]:
    counted = [0]

    def step(frame: FrameType, what: str, _argument: object) -> None:
        if what in ("call", "return") and frame.f_code in REQUESTS:
            counted[0] += 1
            if counted[0] == point:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(step)
    return counted


def short_of_space(pipe: Connection, url: str, command: str, size: int, to: str) -> None:
    """Do a command where no file can grow beyond a size; tell how it went."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        if command == "backup":
            backup(url, to)
        else:
            with guarding(url) as guard:
                COMMANDS[command](guard)
        pipe.send("done")
    except ByHistoryError as refused:
        pipe.send(str(refused))


def racing(pipe: Connection) -> None:
    """Do one command after the other, each as soon as the other process is ready, too; tell how it went."""
    while True:
        url, command, to = pipe.recv()
        with guarding(url) as guard:
            pipe.send("ready")
            pipe.recv()
            try:
                if command == "backup":
                    backup(url, to)
                else:
                    COMMANDS[command](guard)
                said = "done"
            except ByHistoryError as refused:
                said = str(refused)
        pipe.send(said)
