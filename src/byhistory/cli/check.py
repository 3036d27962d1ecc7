"""Judge a run by the runs before it."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, opened, pairs, spark_of
from byhistory.cli._show import GITHUB, JSON, TEXT
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from pathlib import Path

    from byhistory.cli._timing import Stopwatch
    from byhistory.constraints import Level
    from byhistory.verdict import Verdict


EXAMPLES = """
byhistory check orders lake/orders/ds=2026-11-15
byhistory check orders lake/orders --run-column ds --run 2026-11-15
byhistory check orders in/today.csv --run 2026-11-15 --where "country = 'DE'"
byhistory check orders lake/orders/ds=2026-11-15 -o verdict.json
byhistory check orders lake/orders/ds=2026-11-15 --why -o orders.html
byhistory check --all --run 2026-11-15 --output github
byhistory check --all --latest --tables 'sales.*' --at-once 8
"""

UNUSUAL, NOT_WHOLE = 1, 3
"""Exit codes, as `byhistory check --help` lists them."""


class FailOn(str, Enum):
    """From which level on a check fails."""

    WARN = "warn"
    STOP = "stop"


def run(
    ctx: typer.Context,
    table: o.MaybeTable = "",
    path: o.Path_ = "",
    run: Annotated[
        str,
        typer.Option(
            metavar="LABEL",
            help="The label of the run. Default: the last key=value part of the path, or the value of --run-column.",
        ),
    ] = "",
    run_column: o.RunColumn = "",
    latest: Annotated[bool, typer.Option("--latest", help="The last run that --run-column has.")] = False,
    format_: o.Format = "",
    option: o.Option = None,
    schema: o.Schema = "",
    where: o.Where = "",
    columns: o.Columns = "",
    exclude: o.Exclude = "",
    query: o.Query = "",
    catalog: o.Catalog = "",
    engine: o.Engine = "",
    output: Annotated[
        str,
        typer.Option(
            metavar="text|json|junit|github|markdown|html|csv",
            help="As what the verdict is written.",
            show_default="text",
        ),
    ] = "",
    json: o.Json = False,
    out: o.File = None,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Judge and record, but exit with 0 whatever is found.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 3 unless all was judged, by all runs there are.")
    ] = False,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="From which level on to exit with 1.", show_default="stop")
    ] = FailOn.STOP,
    why: Annotated[
        bool,
        typer.Option(
            "--why", help="If it is stopped or warned about, also say which rows caused it; reads the rows again."
        ),
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="Every table of byhistory.toml, in one Spark session.")] = False,
    names: o.Names = "",
    tag: o.Tag = "",
    at_once: o.AtOnce = o.AT_ONCE,
    retries: o.Retries = o.RETRIES,
    timing: o.Timing = False,
) -> None:
    """Judge a run of a table by the runs before it, and record it.

    Exits with 0 if it is as usual or only warned about (see --fail-on), with 1 if it is to be stopped, with 2 if it
    could not be judged. The last line is the verdict.
    """
    from byhistory.cli._all import check_all
    from byhistory.cli._fleet import Pace
    from byhistory.cli._judging import judged, reasons
    from byhistory.cli._reading import Given, keep_path, with_given, with_kept_path
    from byhistory.cli._say import document, note
    from byhistory.cli._show import in_text, must_be_writable, rendered, verdict_line, write
    from byhistory.cli._timing import Stopwatch
    from byhistory.report.answers.verdict import last_line

    given = Given(
        path,
        run,
        run_column,
        format_,
        pairs(option or [], "--option"),
        schema,
        where,
        columns,
        exclude,
        query,
        catalog,
        engine,
    )
    wanted = _output(output, json, out)
    must_be_writable(out)
    watch = Stopwatch()
    if all_:
        if table or given != Given(run=run):
            raise ByHistoryError(
                "check --all",
                "a table, or options for reading one",
                "write them into byhistory.toml; only --run goes with it",
            )
        code = check_all(
            ctx,
            run,
            wanted,
            out,
            watch,
            latest=latest,
            shadow=shadow,
            strict=strict,
            fail_on=fail_on.value,
            why=why,
            names=names,
            tag=tag,
            pace=Pace(at_once, retries),
        )
        if timing:
            tell_timing(watch)
        raise typer.Exit(code)
    if not table:
        raise ByHistoryError("check a run", "no table", "name one, or say --all for those of byhistory.toml")
    config = with_given(configuration(ctx), table, given)
    with opened(ctx, config, make=True, step=watch) as guard:
        with_kept_path(guard, table)
        spark = None
        if config.table(table).engine != "local":
            with watch("JVM start"):
                spark = spark_of(ctx)
        answer = judged(spark, guard, table, watch, latest=latest, shadow=shadow or None)
        keep_path(guard, table, given)
        story = replace(answer.story(), fails_from=fail_on.value)
        if (why or config.table(table).why) and answer.level != "as usual":
            with watch("why"):
                story = replace(story, why=reasons(spark, guard, answer))
        with watch("show"):
            for_people = out is not None or wanted == TEXT
            document(in_text(story) if for_people else rendered(story, wanted))
            if for_people or wanted == GITHUB:  # annotations are lines, and one more may follow
                verdict_line(answer)
            else:  # a document must be whole for its reader, so the verdict's line goes beside it
                note(last_line(answer))
            if out is not None:  # Last, so that what was found is shown even if it cannot be written.
                write(out, rendered(story, wanted))
    if timing:
        tell_timing(watch.with_loading())
    raise typer.Exit(_said(exit_code(answer.verdict, fail_on.value, strict), answer.verdict))


def tell_timing(watch: Stopwatch) -> None:
    """Tell where the time went, and in which way rows were read."""
    from byhistory.cli._say import note
    from byhistory.plain import word

    for table, way in watch.ways.items():
        note(f"{word(table)}: {word(way)}")
    note(f"timing: {watch}")


def _said(code: int, verdict: Verdict) -> int:
    """The exit code. People are shown what is missing only if it is much, so where that is the matter it is said."""
    if code == NOT_WHOLE:
        from byhistory.cli._say import note
        from byhistory.report.answers.verdict import not_whole

        note(not_whole(verdict))
    return code


def exit_code(verdict: Verdict, fail_on: Level, strict: bool) -> int:
    """The exit code for one verdict."""
    if verdict.reaches(fail_on):
        return UNUSUAL
    return NOT_WHOLE if strict and not verdict.is_whole else 0


def _output(output: str, json: bool, out: Path | None) -> str:
    """The name of the format: the one asked for, or the one that the file's ending stands for."""
    from byhistory.report.outputs import by_name, by_suffix

    if json and output not in ("", JSON):
        raise ByHistoryError("write a verdict", f"both --json and --output {output}", "give one of them")
    if json or output:
        return JSON if json else by_name(output).name
    found = by_suffix(out.suffix) if out is not None else None
    return found.name if found is not None else TEXT
