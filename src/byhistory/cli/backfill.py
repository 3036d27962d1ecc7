"""Keep the past runs of a table, in one Spark job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, opened, pairs, settings_of, spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.config import Config

EXAMPLES = """
byhistory backfill orders lake/orders --run-column ds
byhistory backfill orders 'in/*.csv' --run-column day --option sep=';' --exclude comment
byhistory backfill orders --catalog shop.orders --run-column year,month,day --remote sc://spark:15002
byhistory backfill --all --tables 'sales.*'
byhistory backfill orders --catalog lake.shop.orders --versions 60
byhistory backfill orders --query "select * from shop.orders where ds >= '2026-01-01'" --run-column ds
"""


def run(
    ctx: typer.Context,
    table: o.MaybeTable = "",
    path: o.Path_ = "",
    run_column: o.RunColumn = "",
    format_: o.Format = "",
    option: o.Option = None,
    schema: o.Schema = "",
    where: o.Where = "",
    columns: o.Columns = "",
    exclude: o.Exclude = "",
    query: o.Query = "",
    catalog: o.Catalog = "",
    versions: Annotated[
        int, typer.Option(metavar="N", min=0, help="The last N commits of a Delta or Iceberg table as its runs.")
    ] = 0,
    engine: o.Engine = "",
    all_: Annotated[
        bool, typer.Option("--all", help="Every table of byhistory.toml that is not in yet, in one Spark session.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="With --all: also those that are in.")] = False,
    names: o.Names = "",
    tag: o.Tag = "",
    at_once: o.AtOnce = o.AT_ONCE,
    retries: o.Retries = o.RETRIES,
    timing: o.Timing = False,
) -> None:
    """Profile every past run of a table in one Spark job, keep them, and learn from them.

    A run is the rows that share a value of --run-column. Runs that are kept already are replaced. With --all, what was
    interrupted goes on where it was.
    """
    from byhistory.cli._backfilling import backfill_all, brought_in
    from byhistory.cli._fleet import Pace
    from byhistory.cli._reading import Given, in_whole, keep_path, with_given, with_kept_path
    from byhistory.cli._say import note, say
    from byhistory.cli._timing import Stopwatch
    from byhistory.cli.check import tell_timing
    from byhistory.report.answers import backfill as answer

    options = pairs(option or [], "--option")
    given = Given(path, "", run_column, format_, options, schema, where, columns, exclude, query, catalog, engine)
    watch = Stopwatch()
    if all_:
        if table or versions or given != Given():
            found = "a table, or options for reading one"
            raise ByHistoryError("backfill --all", found, "write them into byhistory.toml")
        code = backfill_all(ctx, watch, names, tag, again=again, pace=Pace(at_once, retries))
        if timing:
            tell_timing(watch)
        raise typer.Exit(code)
    if not table:
        raise ByHistoryError("backfill a table", "no table", "name one, or say --all for those of byhistory.toml")
    config = in_whole(with_given(configuration(ctx), table, given), table)
    if versions:
        _from_versions(ctx, config, table, versions)
        return
    with opened(ctx, config, make=True, step=watch) as guard:
        with_kept_path(guard, table)
        spark = None
        if config.table(table).engine != "local":
            with watch("JVM start"):
                spark = spark_of(ctx)
        past = brought_in(spark, guard, table, watch)
        keep_path(guard, table, given)
        if settings_of(ctx).verbose:
            say(answer.runs_listed(past.profiles))
        programs = guard.learning.programs(table)
    if timing:
        tell_timing(watch.with_loading())
    if past.replaced:
        note(answer.replaced(past.replaced))
    say(answer.brought_in(table, past, programs.values()))


def _from_versions(ctx: typer.Context, config: Config, table: str, versions: int) -> None:
    from byhistory.cli._progress import spark_working
    from byhistory.cli._say import say
    from byhistory.report.answers import backfill as answer

    entry = config.table(table)
    if bool(entry.path) == bool(entry.catalog) or entry.query or entry.where:
        found = "--versions without a path or a table of the catalog, or beside a query or a condition"
        raise ByHistoryError(f"backfill {table!r}", found, "name a Delta or Iceberg table, and nothing else")
    with opened(ctx, config, make=True) as guard:
        spark = spark_of(ctx)
        with spark_working(spark, "profiling"):
            runs = guard.sources.backfill_versions(table, spark, versions=versions)
    say(answer.commits(table, runs))
