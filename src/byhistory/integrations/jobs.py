"""A job that builds a table: nothing leaves it that is not as usual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from byhistory.constraints import Level
from byhistory.validator import Judged, Validator
from byhistory.verdict import checked_level

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

P = ParamSpec("P")


def guarded(
    guard: Validator, table: str, run: Callable[P, str], level: Level = "stop"
) -> Callable[[Callable[P, DataFrame]], Callable[P, DataFrame]]:
    """Decorate a function that returns a DataFrame: it is checked before it is returned.

    `run` gives the label of the run from the function's own arguments. A run that is stopped raises `Unusual`; with
    `level="warn"` one that is warned about does, too.
    """
    checked_level(level)

    def decorate(build: Callable[P, DataFrame]) -> Callable[P, DataFrame]:
        @wraps(build)
        def checked(*args: P.args, **kwargs: P.kwargs) -> DataFrame:
            df = build(*args, **kwargs)
            guard.check(df, table, run(*args, **kwargs)).raise_if_unusual(level)
            return df

        return checked

    return decorate


@contextmanager
def guarding(guard: Validator, table: str, run: str, level: Level = "stop") -> Iterator[Callable[[DataFrame], Judged]]:
    """A `with` block that yields a function: call it with a DataFrame to check it as this run, as often as you like.

    If the last verdict stops the run (with `level="warn"`, or warns about it), `Unusual` is raised at the end of the
    block, unless something else was raised before. So a job can still write to a quarantine or send a message inside
    the block.
    """
    checked_level(level)
    verdicts: list[Judged] = []

    def audit(df: DataFrame) -> Judged:
        verdicts.append(guard.check(df, table, run))
        return verdicts[-1]

    yield audit
    if verdicts:
        verdicts[-1].raise_if_unusual(level)
