"""Why was a run stopped?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, must_know, opened, pairs, spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.config import Config
    from byhistory.validator import Validator
    from byhistory.why import Answer

EXAMPLES = """
byhistory why orders 2026-11-15
byhistory why orders 2026-11-15 lake/orders/ds=2026-11-15 --column amount --rows 5
byhistory why orders 2026-11-15 --query
byhistory why orders 2026-11-15 --quarantine lake/quarantine/orders
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    run: o.Run,
    path: o.Path_ = "",
    column: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this column; may be given many times.")
    ] = None,
    rows: Annotated[int, typer.Option(metavar="N", help="Show this many of the rows; they are not kept.")] = 0,
    query: Annotated[
        bool, typer.Option("--query", help="Print only the Spark SQL condition of the segment's rows.")
    ] = False,
    quarantine: Annotated[
        str,
        typer.Option(
            metavar="PATH", help="Write the segment's rows to PATH/quarantined and the others to PATH/passed."
        ),
    ] = "",
    key: Annotated[
        str, typer.Option(metavar="A,B", help="The columns that tell rows apart. Default: one is looked for.")
    ] = "",
    run_column: o.RunColumn = "",
    format_: o.Format = "",
    option: o.Option = None,
    schema: o.Schema = "",
    where: o.Where = "",
    from_query: Annotated[
        str, typer.Option(metavar="SQL", help="Read the rows that a query gives, as `check --query` does.")
    ] = "",
    catalog: o.Catalog = "",
    engine: o.Engine = "",
    json: o.Json = False,
) -> None:
    """Say which rows of a run are not as usual and what they have in common, compared with the run before.

    The rows are read again: those of the run, and of the last good run before if they can be found in the same way.
    """
    from byhistory.cli._progress import working
    from byhistory.cli._reading import Given, names, with_given, with_kept_path
    from byhistory.cli._say import document, note, say
    from byhistory.plain import word

    options = pairs(option or [], "--option")
    given = Given(path, run, run_column, format_, options, schema, where, "", "", from_query, catalog, engine)
    config = with_given(configuration(ctx), table, given)
    if key:
        config = with_key(config, table, names(key))
    with opened(ctx, config) as guard:
        must_know(guard, table, f"say why a run of {table!r} was stopped")
        verdict = guard.records.story(table, run).verdict
        if verdict.level == "as usual" and not column:
            todo = "name a run that was stopped, or a column with --column"
            raise ByHistoryError(f"say why run {run!r} of {table!r} was stopped", "that it was not", todo)
        with_kept_path(guard, table)
        spark = None if config.table(table).engine == "local" else spark_of(ctx)
        read = guard.sources.rows(table, run, spark)
        for notice in read.notices:
            note(f"{word(table)}: {word(notice)}")
        with working(f"asking why {word(table)} {word(run)}"):
            answer = guard.why(read.now, verdict, before=read.before, columns=column or ())
        document(_shown(answer, read.now, rows, guard, json=json, query=query))
        if quarantine:
            _must_have_rows_apart(answer, quarantine)
            from byhistory.report.answers.files import quarantined
            from byhistory.validator.segment import put_apart

            assert answer.segment is not None  # noqa: S101 - asked before
            inside, outside = put_apart(read.now, answer.segment, quarantine, config.table(table).storage)
            say(quarantined(inside, outside))


def _must_have_rows_apart(answer: Answer, path: str) -> None:
    """Refuse to quarantine where there are no rows to write apart: none were found, or those found are not there."""
    asked = f"quarantine rows in {path}"
    if answer.kind.startswith("rows missing"):
        found = "nothing to write apart, because the rows that this is about are missing"
        raise ByHistoryError(asked, found, "load the missing rows, or reject the whole run")
    if answer.segment is None:
        raise ByHistoryError(asked, f"no segment: {answer.sentence}", "reject the whole run")


def with_key(config: Config, table: str, key: tuple[str, ...]) -> Config:
    """The configuration, with the columns that tell the rows of a table apart."""
    from dataclasses import replace

    return replace(config, tables={**config.tables, table: replace(config.table(table), key=key)})


def _shown(answer: Answer, now: Any, rows: int, guard: Validator, *, json: bool, query: bool) -> str:
    from byhistory.plain import as_json

    segment = answer.segment
    if query:
        if segment is None:
            raise ByHistoryError("print the condition of a segment", f"no segment: {answer.sentence}", "leave it out")
        return segment.sql()
    shown = []
    if rows and segment is not None:
        from byhistory.validator.segment import example_rows

        shown = example_rows(now, segment, rows, guard.config.table(answer.table).masked)
    if json:
        return as_json(answer.to_dict() | ({"rows": shown} if rows else {}), default=str)
    lines = [str(answer)]
    if rows and segment is not None:
        from byhistory.report.answers.files import rows_in_words

        lines += ["", rows_in_words(shown)]
    return "\n".join(lines)
