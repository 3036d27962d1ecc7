"""Every table of byhistory.toml: side by side in one Spark session, one summary, one exit code."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import typer

from byhistory.cli._fleet import SPREAD_FROM, Done, Pace, chosen, side_by_side
from byhistory.cli._judging import judged, reasons
from byhistory.cli._processes import placed
from byhistory.cli._program import COULD_NOT_RUN
from byhistory.cli._say import document, note, say
from byhistory.cli._settings import configuration, opened, spark_of
from byhistory.cli._show import GITHUB, HTML, TEXT, in_text, write
from byhistory.errors import ByHistoryError, JudgedBefore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.config import Config, TableConfig
    from byhistory.constraints import Level
    from byhistory.report.answers.fleet import TableResult
    from byhistory.report.story import Story
    from byhistory.validator import Validator
    from byhistory.verdict import Verdict

WORST = (0, 3, 1, 2)
"""Exit codes from best to worst: what a table that could not be judged hides may be worse than a stop."""


def check_all(
    ctx: typer.Context,
    run: str,
    output: str,
    out: Path | None,
    watch: Stopwatch,
    *,
    latest: bool,
    shadow: bool,
    strict: bool,
    fail_on: Level,
    why: bool = False,
    names: str = "",
    tag: str = "",
    pace: Pace | None = None,
) -> int:
    """Check tables side by side, whatever becomes of one, and return the worst exit code."""
    from byhistory.report.answers import fleet as answers

    config = configuration(ctx)
    config = replace(config, tables={name: config.tables[name] for name in chosen(config, "check --all", names, tag)})
    if output == HTML:
        raise ByHistoryError("check --all", f"--output {output}", "write one page per table with `byhistory report`")
    config = _with_run(config, run)
    if why:
        config = replace(config, tables={name: replace(t, why=True) for name, t in config.tables.items()})
    pace = pace or Pace()
    if pace.at_once > 1:
        watch.cpu = time.thread_time
    judge = partial(_judged, latest=latest, shadow=shadow, keeps_story=output != TEXT, fail_on=fail_on)
    with opened(ctx, config, make=True, step=watch) as guard:
        spark = session_for(ctx, config, watch)
        tables = list(config.tables)
        with placed(judge, tables, guard, spark=spark, watch=watch, at_once=pace.at_once) as work:
            done = side_by_side(tables, work, "checking", guard.now, pace)
    _note_earlier_records(done)
    lines = [_result(one, config.tables[one.table], fail_on, strict) for one in done]
    worst = max((line.code for line in lines), key=WORST.index)
    text = answers.document(lines, output, worst) if output != TEXT else ""
    if out is None and text:
        document(text)
    if out is not None or output == TEXT:
        for line in lines:
            if line.story is not None and line.verdict is not None and line.verdict.level != "as usual":
                document(in_text(line.story) + "\n")
        say(answers.summary(lines))
    (note if out is None and output not in (TEXT, GITHUB) else say)(answers.ending(lines, worst))
    if out is not None:  # Last, so that what was found is shown even if it cannot be written.
        write(out, text or answers.summary(lines))
    return worst


def _note_earlier_records(done: Sequence[Done[_Answer]]) -> None:
    from byhistory.report.answers.fleet import kept, replaced

    answered = [(one.table, one.value) for one in done if one.value is not None]
    if again := [table for table, answer in answered if answer.is_replacing]:
        note(replaced(again))
    if unwritten := [table for table, answer in answered if answer.is_kept]:
        note(kept(unwritten))


def _with_run(config: Config, run: str) -> Config:
    if not run:
        return config
    return replace(config, tables={name: replace(t, run=run) for name, t in config.tables.items()})


def session_for(ctx: typer.Context, config: Config, watch: Stopwatch) -> SparkSession | None:
    """The one session for all tables; None if all are read in this process."""
    if all(table.engine == "local" for table in config.tables.values()):
        return None
    with watch("JVM start"):
        return spark_of(ctx)


@dataclass(frozen=True, slots=True)
class _Answer:
    """One table's verdict, with its story only if that is shown: ten thousand stories would fill the memory."""

    verdict: Verdict
    story: Story | None
    is_replacing: bool
    is_kept: bool = False
    """Whether it is the verdict of an earlier check, as the table has no commit since."""


def _judged(
    guard: Validator,
    watch: Stopwatch,
    name: str,
    *,
    spark: SparkSession | None = None,
    latest: bool,
    shadow: bool,
    keeps_story: bool,
    fail_on: Level,
) -> _Answer:
    """One table, by a session or in this process."""
    from byhistory.validator.learning import Spread

    spread = None if spark is None else Spread(spark, SPREAD_FROM)
    about = (spark, guard, name, watch)
    try:
        answer = judged(*about, latest=latest, shadow=shadow or None, spread=spread, is_of_many=True)
    except JudgedBefore as before:  # among many tables one that nobody wrote to is no failure
        told = replace(guard.records.story(name, before.run), fails_from=fail_on)
        return _Answer(told.verdict, told, is_replacing=False, is_kept=True)
    is_unusual = answer.verdict.level != "as usual"
    story = replace(answer.story(), fails_from=fail_on) if keeps_story or is_unusual else None
    if story is not None and is_unusual and guard.config.table(name).why:
        with watch("why"):
            story = replace(story, why=reasons(spark, guard, answer))
    return _Answer(answer.verdict, story, answer.is_replacing)


def _result(one: Done[_Answer], config: TableConfig, fail_on: Level, strict: bool) -> TableResult:
    from byhistory.cli.check import exit_code
    from byhistory.report.answers.fleet import TableResult

    if one.value is None:
        return TableResult(one.table, COULD_NOT_RUN, error=one.error, owner=config.owner, tags=config.tags)
    verdict, about = one.value.verdict, (config.owner, config.tags)
    return TableResult(one.table, exit_code(verdict, fail_on, strict), verdict, one.value.story, None, *about)
