"""Real processes that a test starts, talks to through a pipe, and may kill."""

from __future__ import annotations

import multiprocessing
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any
from unittest import mock

Begin = Callable[..., tuple[Any, Connection]]
"""A function and its arguments to the process that runs it and our end of the pipe; it gets the other end first."""


@contextmanager
def processes(of: str, *, both_ways: bool) -> Iterator[Begin]:
    """Processes that run functions of the module `of`, all killed at the end."""
    context = multiprocessing.get_context("forkserver")  # Forks from a process without threads, and quickly.
    context.set_forkserver_preload([of])
    started = []

    def begin(work: Callable[..., object], *arguments: object) -> tuple[Any, Connection]:
        here, there = context.Pipe(duplex=both_ways)
        process = context.Process(target=work, args=(there, *arguments))
        # A new process imports what __main__ is here: all of pytest, every time. It needs none of it.
        with mock.patch.dict(sys.modules, {"__main__": types.ModuleType("__main__")}):
            process.start()
        there.close()
        started.append((process, here))
        return process, here

    yield begin
    for process, here in started:
        process.kill()
        process.join()
        process.close()
        here.close()
