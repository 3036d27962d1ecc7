"""Where does the time of a check go?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Seconds by step, on the clock and of this process's CPU; a class because it counts while a command runs.

    The difference is waiting: for Spark, for the disk, for other programs on a busy machine.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, tuple[float, float]] = {}
        self.ways: dict[str, str] = {}
        """How the rows of each table came in, and why so."""

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Count what happens inside to a step."""
        clock, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            before = self.seconds.get(step, (0.0, 0.0))
            self.seconds[step] = before[0] + time.perf_counter() - clock, before[1] + time.process_time() - cpu

    def __str__(self) -> str:
        """One line.

        >>> watch = Stopwatch()
        >>> watch.seconds["judge"] = 0.25, 0.125
        >>> str(watch)
        'judge 0.25 s (0.12 s of CPU), in all 0.25 s (0.12 s of CPU)'
        """
        clocks, cpus = zip(*self.seconds.values(), strict=True) if self.seconds else ((), ())
        steps = [*self.seconds.items(), ("in all", (sum(clocks), sum(cpus)))]
        return ", ".join(f"{name} {clock:.2f} s ({cpu:.2f} s of CPU)" for name, (clock, cpu) in steps)
