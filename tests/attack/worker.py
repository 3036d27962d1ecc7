"""What the processes do that are killed, or race each other, in the attacks on a guard."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta, timezone
from multiprocessing.connection import Connection

import numpy as np
from tests.e2e.store_worker import count_to

from byhistory.config import Config
from byhistory.errors import ByHistoryError
from byhistory.history.backup import backup
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


COMMANDS = {
    "check": lambda guard: guard.judge(batch(PAST + 1), "orders"),
    "deliver again": lambda guard: guard.judge(batch(PAST), "orders"),
    "late run": lambda guard: guard.judge(batch(-1), "orders"),
    "accept": lambda guard: guard.decisions.accept("orders", label(PAST), who="ann"),
    "reject": lambda guard: guard.decisions.reject("orders", label(PAST), who="bob"),
    "new normal": lambda guard: guard.decisions.accept("orders", label(PAST), new_normal=True, who="cyd"),
    "mute": lambda guard: guard.overrides.mute("orders", "amount", "median"),
    "threshold": lambda guard: guard.overrides.set_threshold("orders", "amount", "min", low=-1e9),
    "forget": lambda guard: guard.records.forget("orders", label(0)),
    "backfill": lambda guard: guard.remember([batch(day) for day in range(PAST)], "orders"),
    "verify": lambda guard: guard.records.verify(),
}


def killed(url: str, answers: Connection, command: str, point: int) -> None:
    """Do a command, killed before the given call that reaches for a file; 0 to count these calls."""
    with guarding(url) as guard:
        counted = count_to(point, url.startswith("postgres"))
        COMMANDS[command](guard)
        sys.setprofile(None)
        answers.send(counted[0])


def raced(url: str, answers: Connection, command: str, to: str = "") -> None:
    """Do a command as soon as the other process is ready, too; tell how it went."""
    with guarding(url) as guard:
        answers.send("ready")
        answers.recv()
        try:
            if command == "backup":
                backup(url, to)
            else:
                COMMANDS[command](guard)
            answers.send("done")
        except ByHistoryError as refused:
            answers.send(str(refused))
