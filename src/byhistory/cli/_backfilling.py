"""Backfill the past runs of one table, or of all: profile them, keep them, learn from them."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import typer

from byhistory.cli._fleet import SPREAD_FROM, Pace, chosen, side_by_side
from byhistory.cli._processes import placed
from byhistory.cli._progress import spark_working
from byhistory.cli._say import note, say
from byhistory.cli._settings import configuration, opened

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.validator import Validator
    from byhistory.validator.learning import Spread
    from byhistory.validator.reading.past import Backfilled


def brought_in(
    spark: SparkSession | None, guard: Validator, table: str, watch: Stopwatch, spread: Spread | None = None
) -> Backfilled:
    """Bring in every past run of a table from where its configuration says, and report what was left out."""
    from byhistory.report.answers import backfill as answer

    with spark_working(spark, "profiling all runs") as tell:
        past = guard.sources.backfill(
            table,
            spark,
            reading=lambda done, total: tell(f"profiling: {done} of {total} runs"),
            learning=lambda done, total: tell(f"learning: {done} of {total} columns"),
            spread=spread,
            tell=partial(watch.ways.__setitem__, table),
        )
    for line in answer.notices(table, past):
        note(line)
    return past


def backfill_all(ctx: typer.Context, watch: Stopwatch, names: str, tag: str, *, again: bool, pace: Pace) -> int:
    """Bring in every table that is not in yet, side by side; the exit code is 2 if one of them failed."""
    from byhistory.cli._all import session_for
    from byhistory.cli._program import COULD_NOT_RUN
    from byhistory.report.answers import backfill as answer

    config = configuration(ctx)
    tables = chosen(config, "backfill --all", names, tag)
    if pace.at_once > 1:
        watch.cpu = time.thread_time
    with opened(ctx, config, make=True, step=watch) as guard:
        there = set() if again else {t for t in tables if guard.sources.is_backfilled(t)}
        left = [t for t in tables if t not in there]
        if there:
            note(answer.brought_in_before(len(there), len(left)))
        spark = session_for(ctx, replace(config, tables={t: config.tables[t] for t in left}), watch) if left else None
        with placed(_one, left, guard, spark=spark, watch=watch, at_once=pace.at_once) as work:
            done = side_by_side(left, work, "backfilling", guard.now, pace)
    failed = {one.table: one.error for one in done if one.error is not None}
    runs, rows = (sum(one.value[i] for one in done if one.value is not None) for i in (0, 1))
    say(answer.all_brought_in(len(done) - len(failed), runs, rows, failed))
    return COULD_NOT_RUN if failed else 0


def _one(guard: Validator, watch: Stopwatch, table: str, *, spark: SparkSession | None = None) -> tuple[int, int]:
    """How many runs and rows of one table came in; its profiles are dropped, as those of all would fill the memory."""
    from byhistory.validator.learning import Spread

    past = brought_in(spark, guard, table, watch, None if spark is None else Spread(spark, SPREAD_FROM))
    return len(past.profiles), past.rows
