"""The past runs of one table, or of all: profiled, kept, learned from."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import typer

from byhistory.cli._fleet import SPREAD_FROM, Done, Pace, chosen, side_by_side
from byhistory.cli._progress import spark_working
from byhistory.cli._say import note, say, word
from byhistory.cli._say import table as as_table
from byhistory.cli._settings import configuration, opened
from byhistory.plain import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.profile import TableProfile
    from byhistory.validator import Validator
    from byhistory.validator.learning import Spread
    from byhistory.validator.reading.past import Backfilled


def brought_in(
    spark: SparkSession | None, guard: Validator, table: str, watch: Stopwatch, spread: Spread | None = None
) -> Backfilled:
    """Bring every past run of a table in from where its configuration leads to, and say what was left out."""
    with spark_working(spark, "profiling all runs") as tell:
        past = guard.sources.backfill(
            table,
            spark,
            reading=lambda done, total: tell(f"profiling: {done} of {total} runs"),
            learning=lambda done, total: tell(f"learning: {done} of {total} columns"),
            spread=spread,
            tell=partial(watch.ways.__setitem__, table),
        )
    for line in (*map(word, past.notices), *_in_some_runs(past.profiles)):
        note(f"{word(table)}: {line}")
    return past


_TOLD = 8
"""Columns that are named, by choice: a screen has room for them and for the answer."""


def _in_some_runs(profiles: Mapping[str, TableProfile]) -> list[str]:
    """A line for each column that not every run has."""
    had: dict[str, list[str]] = {}
    for run, profile in profiles.items():
        for name in profile.columns:
            had.setdefault(name, []).append(run)
    some = {name: runs for name, runs in had.items() if len(runs) < len(profiles)}
    lines = [
        f"column {word(repr(name))} is in {len(runs):,} of {len(profiles):,} runs, {word(runs[0])} to {word(runs[-1])}"
        for name, runs in some.items()
    ]
    rest = len(lines) - _TOLD
    return lines if rest <= 0 else [*lines[:_TOLD], f"and {plural(rest, 'other column')} that not every run has"]


def backfill_all(ctx: typer.Context, watch: Stopwatch, names: str, tag: str, *, again: bool, pace: Pace) -> int:
    """Bring in every table that is not in yet, side by side; the exit code is 2 if one could not be."""
    from byhistory.cli._all import session_for
    from byhistory.cli._program import COULD_NOT_RUN

    config = configuration(ctx)
    tables = chosen(config, "backfill --all", names, tag)
    if pace.at_once > 1:
        watch.cpu = time.thread_time
    with opened(ctx, config, make=True, step=watch) as guard:
        there = set() if again else {t for t in tables if guard.sources.is_backfilled(t)}
        left = [t for t in tables if t not in there]
        if there:
            note(f"{plural(len(there), 'table')} brought in before, {len(left):,} left (--again does all of them anew)")
        spark = session_for(ctx, replace(config, tables={t: config.tables[t] for t in left}), watch) if left else None
        done = side_by_side(left, partial(_one, spark, guard, watch), "backfilling", guard.now, pace)
    failed = [one for one in done if one.error is not None]
    if failed:
        say(as_table(["table", "could not run"], [(one.table, _said(one)) for one in failed]))
    runs, rows = (sum(one.value[i] for one in done if one.value is not None) for i in (0, 1))
    said = f"{plural(len(done) - len(failed), 'table')} with {plural(runs, 'run')} of {plural(rows, 'row')}"
    ending = f"; could not run: {plural(len(failed), 'table')}, the same command goes on with them" if failed else ""
    say(f"backfilled: {said}{ending}")
    return COULD_NOT_RUN if failed else 0


def _one(spark: SparkSession | None, guard: Validator, watch: Stopwatch, table: str) -> tuple[int, int]:
    """The runs and rows of one table: its profiles are let go, ten thousand tables of them would fill the memory."""
    from byhistory.validator.learning import Spread

    session = None if guard.config.table(table).engine == "local" else spark
    past = brought_in(session, guard, table, watch, None if session is None else Spread(session, SPREAD_FROM))
    return len(past.profiles), past.rows


def _said(one: Done[tuple[int, int]]) -> str:
    from byhistory.cli._all import failure

    assert one.error is not None  # noqa: S101 - asked of those that failed
    return failure(one.error)
