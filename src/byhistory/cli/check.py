"""Judge a run by the runs before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, opened, pairs, spark_of
from byhistory.cli._show import BY_SUFFIX, Output
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from pathlib import Path


EXAMPLES = """
byhistory check orders lake/orders/ds=2026-11-15
byhistory check orders lake/orders --run-column ds --run 2026-11-15
byhistory check orders in/today.csv --run 2026-11-15 --where "country = 'DE'"
byhistory check orders lake/orders/ds=2026-11-15 -o verdict.json
byhistory check --all --run 2026-11-15 --output github
"""

UNUSUAL, NOT_ENOUGH_HISTORY = 1, 3


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
    output: Annotated[Output | None, typer.Option(help="As what the verdict is written.", show_default="text")] = None,
    json: o.Json = False,
    out: o.File = None,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Judge and record, but exit with 0 whatever is found.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 3 if there is not enough history to judge.")
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="Every table of byhistory.toml, in one Spark session.")] = False,
    timing: Annotated[bool, typer.Option("--timing", help="Say on stderr where the time went.")] = False,
) -> None:
    """Judge a run of a table by the runs before it, and record it.

    Exits with 0 if it is as usual, with 1 if it is not, with 2 if it could not be judged. The last line is the verdict.
    """
    from byhistory.cli._all import check_all
    from byhistory.cli._judging import judged
    from byhistory.cli._reading import Given, with_given
    from byhistory.cli._say import document, note
    from byhistory.cli._show import in_text, last_line, rendered, verdict_line, write
    from byhistory.cli._timing import Stopwatch

    given = Given(
        path, run, run_column, format_, pairs(option or [], "--option"), schema, where, columns, exclude, query, catalog
    )
    wanted = _output(output, json, out)
    watch = Stopwatch()
    if all_:
        if table or given != Given(run=run):
            raise ByHistoryError(
                "check --all",
                "a table, or options for reading one",
                "write them into byhistory.toml; only --run goes with it",
            )
        code = check_all(ctx, run, wanted, out, watch, latest=latest, shadow=shadow, strict=strict)
        if timing:
            note(f"timing: {watch}")
        raise typer.Exit(code)
    if not table:
        raise ByHistoryError("check a run", "no table", "name one, or say --all for those of byhistory.toml")
    config = with_given(configuration(ctx), table, given)
    with opened(ctx, config, make=True, step=watch) as guard:
        with watch("JVM start"):
            spark = spark_of(ctx)
        verdict = judged(spark, guard, table, watch, latest=latest, shadow=shadow or None)
        with watch("show"):
            story = guard.story(table, verdict.run)
            if out is not None:
                write(out, rendered(story, wanted))
            for_people = out is not None or wanted is Output.TEXT
            document(in_text(story) if for_people else rendered(story, wanted))
            if for_people or wanted is Output.GITHUB:  # annotations are lines, and may be followed by one
                verdict_line(guard, verdict)
            else:  # a document must be whole for its reader, so the verdict's line goes beside it
                note(last_line(guard, verdict))
    if timing:
        note(f"timing: {watch}")
    raise typer.Exit(exit_code(verdict.ok or verdict.is_shadow, verdict.is_learning, strict))


def exit_code(passes: bool, is_learning: bool, strict: bool) -> int:
    """What the shell is told of one verdict."""
    if not passes:
        return UNUSUAL
    return NOT_ENOUGH_HISTORY if is_learning and strict else 0


def _output(output: Output | None, json: bool, out: Path | None) -> Output:
    if json and output not in (None, Output.JSON):
        raise ByHistoryError("write a verdict", f"both --json and --output {output.value}", "give one of them")
    if json:
        return Output.JSON
    if output is not None:
        return output
    return BY_SUFFIX.get(out.suffix.lower(), Output.TEXT) if out is not None else Output.TEXT
