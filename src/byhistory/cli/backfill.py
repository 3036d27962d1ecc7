"""Keep the past runs of a table, in one Spark job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, opened, pairs, settings_of, spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byhistory.config import Config
    from byhistory.learners import Program
    from byhistory.validator.reading.past import Backfilled

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
    from byhistory.cli._say import say
    from byhistory.cli._say import table as as_table
    from byhistory.cli._timing import Stopwatch
    from byhistory.cli.check import tell_timing

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
            shown = [[label, f"{p.rows:,}"] for label, p in past.profiles.items()]
            say(as_table(["run", "rows"], shown, right=["rows"]))
        programs = guard.learning.programs(table)
    if timing:
        tell_timing(watch.with_loading())
    _tell(table, past, programs)


def _tell(table: str, past: Backfilled, programs: Mapping[str, Program]) -> None:
    from byhistory.cli._say import note, say, word
    from byhistory.learners import NEEDED_RUNS
    from byhistory.plain import plural
    from byhistory.profile.past import run_key

    if past.replaced:
        last = word(past.replaced[-1])
        note(f"{plural(len(past.replaced), 'run')} replaced an earlier record (the last one is {last})")
    first, last = (label(past.profiles, key=run_key) for label in (min, max))
    said = f"{plural(len(past.profiles), 'run')} from {word(first)} to {word(last)}, {plural(past.rows, 'row')}"
    say(f"{word(table)}: {said}")
    clauses = sum(len(p.clauses) for p in programs.values())
    ready = [p for p in programs.values() if p.is_ready]
    if ready:
        say(f"backfilled: {word(table)}, {plural(clauses, 'constraint')} learned on {plural(len(ready), 'column')}")
    else:
        have = max((p.runs for p in programs.values()), default=0)
        say(f"backfilled: {word(table)}, learning: {have} of {NEEDED_RUNS} runs")


def _from_versions(ctx: typer.Context, config: Config, table: str, versions: int) -> None:
    from byhistory.cli._progress import spark_working
    from byhistory.cli._say import say, word
    from byhistory.plain import plural
    from byhistory.spark.failure import explained

    entry = config.table(table)
    if bool(entry.path) == bool(entry.catalog) or entry.query or entry.where:
        found = "--versions without a path or a table of the catalog, or beside a query or a condition"
        raise ByHistoryError(f"backfill {table!r}", found, "name a Delta or Iceberg table, and nothing else")
    with opened(ctx, config, make=True) as guard:
        spark = spark_of(ctx)
        with explained(f"read the versions of {entry.path or entry.catalog}"), spark_working(spark, "profiling"):
            runs = guard.sources.backfill_versions(table, spark, versions=versions)
    rows = plural(sum(run.rows for run in runs), "row")
    said = f"{plural(len(runs), 'commit')} from {runs[0].run} to {runs[-1].run}"
    say(f"backfilled: {word(table)}, {said}, {rows}")
