"""Why was a run stopped?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, must_know, opened, pairs, spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.spark.read import Source
    from byhistory.validator import Validator
    from byhistory.why import Answer

EXAMPLES = """
byhistory why orders 2026-11-15
byhistory why orders 2026-11-15 lake/orders/ds=2026-11-15 --column amount --rows 5
byhistory why orders 2026-11-15 --condition
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
    rows: Annotated[int, typer.Option(metavar="N", help="Show so many of the rows; they are not kept.")] = 0,
    condition: Annotated[
        bool, typer.Option("--condition", help="Print only the Spark SQL condition of the segment.")
    ] = False,
    quarantine: Annotated[
        str,
        typer.Option(
            metavar="PATH", help="Write the segment's rows to PATH/quarantined and the others to PATH/passed."
        ),
    ] = "",
    run_column: o.RunColumn = "",
    format_: o.Format = "",
    option: o.Option = None,
    schema: o.Schema = "",
    where: o.Where = "",
    query: o.Query = "",
    catalog: o.Catalog = "",
    json: o.Json = False,
) -> None:
    """Say which rows of a run are not as usual and what they have in common, compared with the run before.

    The rows are read again: those of the run, and of the last good run before if they can be found in the same way.
    """
    from byhistory.cli._reading import Given, with_given
    from byhistory.cli._say import document

    given = Given(
        path, run, run_column, format_, pairs(option or [], "--option"), schema, where, "", "", query, catalog
    )
    config = with_given(configuration(ctx), table, given)
    with opened(ctx, config) as guard:
        must_know(guard, table, f"say why a run of {table!r} was stopped")
        verdict = guard.story(table, run).verdict
        if verdict.level == "as usual" and not column:
            todo = "name a run that was stopped, or a column with --column"
            raise ByHistoryError(f"say why run {run!r} of {table!r} was stopped", "that it was not", todo)
        spark = spark_of(ctx)
        df, before = runs_of(spark, guard, table, run)
        answer = guard.why(df, verdict, before=before, columns=column or ())
        document(_shown(answer, df, rows, guard, json=json, condition=condition))
        if quarantine:
            _quarantine(answer, df, quarantine)


def runs_of(spark: SparkSession, guard: Validator, table: str, run: str) -> tuple[DataFrame, DataFrame | None]:
    """The rows of a run, and of the last good one before it if they are found where its own are."""
    from dataclasses import replace

    from byhistory.cli._reading import run_columns, source_of
    from byhistory.validator.why import run_before

    config = guard.config.table(table)
    columns = run_columns(guard, table)
    df = _rows(spark, source_of(table, config), columns, run)
    earlier = run_before(guard, table, run)
    if not earlier:
        return df, None
    last = replace(config, run=earlier, path=config.path.replace(run, earlier))
    if last.path == config.path and not columns and "{run}" not in config.path + config.where + config.query:
        return df, None
    try:
        before = _rows(spark, source_of(table, last), columns, earlier)
    except Exception as reason:  # whatever keeps it from being read, the stored profile stands in
        from byhistory.cli._say import note, word

        note(f"{word(table)}: run {word(earlier)} could not be read ({type(reason).__name__})")
        return df, None
    return df, before


def _rows(spark: SparkSession, source: Source, columns: tuple[str, ...], run: str) -> DataFrame:
    """The rows of one run, without the columns that say which."""
    from byhistory.cli._label import label_in
    from byhistory.spark.read import only_run, read

    df = read(spark, source)
    if not columns or not all(c in df.columns for c in columns):
        return df
    return df.drop(*columns) if label_in(source.path, columns) == run else only_run(df, columns, run)


def _shown(answer: Answer, df: Any, rows: int, guard: Validator, *, json: bool, condition: bool) -> str:
    from json import dumps

    segment = answer.segment
    if condition:
        if segment is None:
            raise ByHistoryError("print the condition of a segment", f"no segment: {answer.sentence}", "leave it out")
        return segment.sql()
    if json:
        return dumps(answer.to_dict(), indent=2)
    lines = [str(answer)]
    if rows and segment is not None:
        from byhistory.plain import plain
        from byhistory.spark.why import examples, inside

        shown = examples(inside(df, segment), rows, guard.config.table(answer.table).masked)
        lines += ["", *(plain(", ".join(f"{k}={v}" for k, v in row.items()), 1_000) for row in shown)]
        if not shown:
            lines += ["", "no rows of it are in this run"]
    return "\n".join(lines)


def _quarantine(answer: Answer, df: Any, path: str) -> None:
    from byhistory.cli._say import say, word
    from byhistory.spark.why import inside, outside

    if answer.segment is None:
        raise ByHistoryError(f"quarantine rows in {path}", f"no segment: {answer.sentence}", "reject the whole run")
    place = path.rstrip("/")
    inside(df, answer.segment).write.parquet(f"{place}/quarantined")
    outside(df, answer.segment).write.parquet(f"{place}/passed")
    say(f"quarantine: {word(place)}/quarantined has the rows of the segment, {word(place)}/passed the others")
