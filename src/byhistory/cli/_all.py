"""Every table of byhistory.toml: side by side in one Spark session, one summary, one exit code."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from byhistory.cli._fleet import SPREAD_FROM, Done, Pace, chosen, side_by_side
from byhistory.cli._judging import judged, reasons
from byhistory.cli._program import COULD_NOT_RUN
from byhistory.cli._say import document, note, say, table, word
from byhistory.cli._settings import configuration, opened, spark_of
from byhistory.cli._show import GITHUB, HTML, JSON, JUNIT, TEXT, in_text, write
from byhistory.errors import ByHistoryError
from byhistory.plain import plural, some_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.config import Config, TableConfig
    from byhistory.report.story import Story
    from byhistory.validator import Validator
    from byhistory.verdict import Verdict

VERSION = 1
"""Of the JSON document of all tables."""
_LISTED, _NAMED = 50, 20
"""Tables that are all listed in a summary, and that are all named in its last line."""
WORST = (0, 3, 1, 2)
"""Exit codes from best to worst: a table that could not be judged hides more than one that was judged unusual."""


@dataclass(frozen=True, slots=True)
class TableResult:
    """What became of one table: a verdict with its story where it is shown, or the error that prevented it."""

    table: str
    code: int
    verdict: Verdict | None = None
    story: Story | None = None
    error: ByHistoryError | None = None
    owner: str = ""
    tags: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """In one or two words."""
        if self.verdict is None:
            return "could not run"
        is_told_only = self.verdict.is_shadow and self.verdict.level != "as usual"
        return f"{self.verdict.status} (shadow)" if is_told_only else self.verdict.status


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
    fail_on: str,
    why: bool = False,
    names: str = "",
    tag: str = "",
    pace: Pace | None = None,
) -> int:
    """Check tables side by side, whatever becomes of one, and return the worst exit code."""
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
    with opened(ctx, config, make=True, step=watch) as guard:
        spark = session_for(ctx, config, watch)
        replaced: list[str] = []
        judge = partial(_judged, spark, guard, watch=watch, latest=latest, shadow=shadow, is_told=output != TEXT)
        judge = partial(judge, replaced=replaced)
        done = side_by_side(list(config.tables), judge, "checking", guard.now, pace)
    _tell_replaced(replaced)
    lines = [_result(one, config.tables[one.table], fail_on, strict) for one in done]
    worst = max((line.code for line in lines), key=WORST.index)
    text = _document(lines, output, worst) if output != TEXT else ""
    if out is None and text:
        document(text)
    if out is not None or output == TEXT:
        for line in lines:
            if line.story is not None and line.verdict is not None and line.verdict.level != "as usual":
                document(in_text(line.story) + "\n")
        say(_summary(lines))
    (note if out is None and output not in (TEXT, GITHUB) else say)(_ending(lines, worst))
    if out is not None:  # Last: what was found is told also where it cannot be written.
        write(out, text or _summary(lines))
    return worst


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


def _judged(
    spark: SparkSession | None,
    guard: Validator,
    name: str,
    *,
    watch: Stopwatch,
    latest: bool,
    shadow: bool,
    is_told: bool,
    replaced: list[str],
) -> tuple[Verdict, Story | None]:
    """One table's verdict; its story only where it is shown: ten thousand stories would fill the memory."""
    from byhistory.validator.learning import Spread

    session = None if guard.config.table(name).engine == "local" else spark
    spread = None if session is None else Spread(session, SPREAD_FROM)
    about = (session, guard, name, watch)
    answer = judged(*about, latest=latest, shadow=shadow or None, spread=spread, is_of_many=True)
    replaced += [name] * answer.is_replacing
    is_unusual = answer.verdict.level != "as usual"
    story = answer.story() if is_told or is_unusual else None
    if story is not None and is_unusual and guard.config.table(name).why:
        with watch("why"):
            story = replace(story, why=reasons(session, guard, answer))
    return answer.verdict, story


def _tell_replaced(tables: list[str]) -> None:
    """In one line: of a fleet that is checked a second time, every table is among them."""
    if tables:
        note(f"{plural(len(tables), 'run')} recorded before, replaced by these records: {_few(sorted(tables))}")


def _result(one: Done[tuple[Verdict, Story | None]], config: TableConfig, fail_on: str, strict: bool) -> TableResult:
    from byhistory.cli.check import exit_code

    if one.value is None:
        return TableResult(one.table, COULD_NOT_RUN, error=one.error, owner=config.owner, tags=config.tags)
    verdict, story = one.value
    return TableResult(one.table, exit_code(verdict, fail_on, strict), verdict, story, None, config.owner, config.tags)


def _summary(lines: list[TableResult]) -> str:
    """One row per table; of a fleet only those that somebody has to look at."""
    shown = lines if len(lines) <= _LISTED else [line for line in lines if line.code or _what(line)]
    rows = [
        (line.table, line.verdict.run if line.verdict else "–", line.status, line.owner, _what(line)) for line in shown
    ]
    left = len(lines) - len(shown)
    rest = f"\n({plural(left, 'table')} as usual or learning)" if left else ""
    if any(line.owner for line in shown):
        return table(["table", "run", "verdict", "owner", "what"], rows) + rest
    return table(["table", "run", "verdict", "what"], [(*row[:3], row[4]) for row in rows]) + rest


def failure(error: ByHistoryError) -> str:
    """What became of a table that could not run, in one line of many: which file it was is in what was asked."""
    return f"{error.asked}: {error.found}; to go on: {error.todo}"


def _what(line: TableResult) -> str:
    if line.error is not None:
        return failure(line.error)
    assert line.verdict is not None  # noqa: S101 - a line has a verdict or an error
    causes = [cause for cause in line.verdict.causes if cause.level == line.verdict.level != "as usual"]
    if not causes:
        return ""
    first = causes[0]
    more = f" (and {plural(len(causes) - 1, 'other cause')})" if len(causes) > 1 else ""
    return f"{first.column + ': ' if first.column else ''}{first.sentence}{more}"


def _ending(lines: list[TableResult], worst: int) -> str:
    def named(code: int) -> str:
        return _few([line.table for line in lines if line.code == code])

    parts = []
    if named(1):
        parts.append(f"stop: {named(1)}")
    warned = [line for line in lines if line.code == 0 and line.verdict is not None and line.verdict.level == "warn"]
    if warned:
        parts.append(f"warn: {_few([line.table for line in warned])}")
    if named(2):
        parts.append(f"could not run: {named(2)}")
    if named(3):
        parts.append(f"not enough history: {named(3)}")
    fine = sum(line.code == 0 for line in lines)
    head = {0: "as usual", 1: "stop", 2: "could not run", 3: "not enough history"}[worst]
    return f"{head}: {fine} of {plural(len(lines), 'table')} pass" + "".join(f"; {part}" for part in parts)


def _few(tables: list[str]) -> str:
    """Names in one line; of many the first."""
    return some_of([word(table) for table in tables], _NAMED)


def _document(lines: list[TableResult], output: str, worst: int) -> str:
    from byhistory import report
    from byhistory.plain import as_json

    stories = [line.story for line in lines if line.story is not None]
    if output == JSON:
        body = {"byhistory_check": VERSION, "exit_code": worst, "tables": [_json(line) for line in lines]}
        return as_json(body)
    failed = [line for line in lines if line.error is not None]
    if output == JUNIT:
        return str(report.to_junit(*stories, errors={line.table: str(line.error) for line in failed}))
    if output == GITHUB:
        errors = [
            f"::error title={_property(f'{line.table} could not run')}::{_data(str(line.error))}" for line in failed
        ]
        annotations = [report.to_github(story).strip("\n") for story in stories]
        return "\n".join(filter(None, [*annotations, *errors]))
    told = [report.by_name(output).write(story) for story in stories]
    return "\n\n".join([*told, *(f"**{word(line.table)}** could not run: {word(line.error)}" for line in failed)])


def _json(line: TableResult) -> dict[str, Any]:
    from byhistory import report

    error = line.error
    return {
        "table": line.table,
        "owner": line.owner,
        "tags": list(line.tags),
        "run": line.verdict.run if line.verdict is not None else None,
        "status": line.status,
        "exit_code": line.code,
        "verdict": json.loads(report.to_json(line.story)) if line.story is not None else None,
        "error": {"asked": error.asked, "found": error.found, "todo": error.todo} if error is not None else None,
    }


def _data(text: str) -> str:
    """As GitHub wants a message written."""
    return word(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
