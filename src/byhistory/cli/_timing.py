"""Where does the time of a check go?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

LOADING = "load the program"


class Stopwatch:
    """Seconds by step, by the clock and of this process's CPU. It is a class because it counts while a command runs.

    The difference is waiting: for Spark, for the disk, for other programs on a busy machine. With tables side by side,
    seconds are summed over them, and `cpu` counts those of one thread (`time.thread_time`).
    """

    def __init__(self, cpu: Callable[[], float] = time.process_time) -> None:
        self.cpu, self._lock = cpu, Lock()
        self.seconds: dict[str, tuple[float, float]] = {}
        self.ways: dict[str, str] = {}
        """How the rows of each table were read, and why in that way."""

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Add the time that passes inside to a step."""
        clock, cpu = time.perf_counter(), self.cpu()
        try:
            yield
        finally:
            self.add({step: (time.perf_counter() - clock, self.cpu() - cpu)}, {})

    def add(self, seconds: Mapping[str, tuple[float, float]], ways: Mapping[str, str]) -> None:
        """Count what was counted elsewhere: in a step here, or in another process."""
        with self._lock:
            for step, took in seconds.items():
                before = self.seconds.get(step, (0.0, 0.0))
                self.seconds[step] = before[0] + took[0], before[1] + took[1]
            self.ways.update(ways)

    def with_loading(self) -> Stopwatch:
        """The same, with the time before and between the steps, in which Python mostly loads its libraries."""
        clocks, cpus = zip(*self.seconds.values(), strict=True) if self.seconds else ((), ())
        rest = since_start() - sum(clocks), self.cpu() - sum(cpus)
        self.seconds = {LOADING: (max(0.0, rest[0]), max(0.0, rest[1])), **self.seconds}
        return self

    def __str__(self) -> str:
        """All steps in one line.

        >>> watch = Stopwatch()
        >>> watch.seconds["judge"] = 0.25, 0.125
        >>> str(watch)
        'judge 0.25 s (0.12 s of CPU), in all 0.25 s (0.12 s of CPU)'
        """
        clocks, cpus = zip(*self.seconds.values(), strict=True) if self.seconds else ((), ())
        steps = [*self.seconds.items(), ("in all", (sum(clocks), sum(cpus)))]
        return ", ".join(f"{name} {clock:.2f} s ({cpu:.2f} s of CPU)" for name, (clock, cpu) in steps)


def since_start() -> float:
    """Seconds since this process was started, by the kernel; if it does not tell, the seconds of its CPU."""
    try:
        stat = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace")
        ticks = int(stat.rpartition(")")[2].split()[19])  # the name of the program, in brackets, may be any text
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError):  # no Linux
        return time.process_time()
