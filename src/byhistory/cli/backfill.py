"""Keep the past runs of a table, in one Spark job."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, opened, pairs, settings_of, spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.cli._timing import Stopwatch
    from byhistory.config import Config
    from byhistory.profile import TableProfile
    from byhistory.spark.read import Source
    from byhistory.validator import Validator

EXAMPLES = """
byhistory backfill orders lake/orders --run-column ds
byhistory backfill orders 'in/*.csv' --run-column day --option sep=';' --exclude comment
byhistory backfill orders --catalog shop.orders --run-column year,month,day --remote sc://spark:15002
byhistory backfill orders lake/orders --versions 60
byhistory backfill orders --query "select * from shop.orders where ds >= '2026-01-01'" --run-column ds
"""


def run(
    ctx: typer.Context,
    table: o.Table,
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
        int, typer.Option(metavar="N", min=0, help="The last N commits of a Delta table as its runs.")
    ] = 0,
    engine: o.Engine = "",
    timing: o.Timing = False,
) -> None:
    """Profile every past run of a table in one Spark job, keep them, and learn from them.

    A run is the rows that share a value of --run-column. Runs that are kept already are replaced.
    """
    from byhistory.cli._progress import counting
    from byhistory.cli._reading import RUN_COLUMN, Given, run_columns, source_of, with_given
    from byhistory.cli._say import note, plural, say, word
    from byhistory.cli._say import table as as_table
    from byhistory.cli._timing import Stopwatch
    from byhistory.cli.check import tell_timing
    from byhistory.learners import NEEDED_RUNS
    from byhistory.profile.past import run_key

    options = pairs(option or [], "--option")
    given = Given(path, "", run_column, format_, options, schema, where, columns, exclude, query, catalog, engine)
    config = with_given(configuration(ctx), table, given)
    source = source_of(table, config.table(table))
    watch = Stopwatch()
    if versions:
        _from_versions(ctx, config, table, versions)
        return
    with opened(ctx, config, make=True, step=watch) as guard:
        by = run_columns(guard, table)
        if not by:
            raise ByHistoryError(
                f"backfill {table!r}", "no column that tells its runs apart", "name it, such as --run-column ds"
            )
        profiles = _profiled(ctx, guard, table, source, by, watch)
        if not profiles:
            raise ByHistoryError(
                f"backfill {table!r} from {source}", "no rows", "see whether the path and --where are right"
            )
        for notice in next(iter(profiles.values())).notices:
            note(notice)
        with counting("learning", "columns") as progress, watch("learn"):
            replaced = guard.remember(profiles.values(), table, progress)
        guard.keep(table, RUN_COLUMN, ",".join(by))  # so that a check knows that it is no data
        if settings_of(ctx).verbose:
            say(as_table(["run", "rows"], [[r, f"{p.rows:,}"] for r, p in profiles.items()], right=["rows"]))
        programs = guard.programs(table)
    if replaced:
        note(f"{plural(len(replaced), 'run')} replaced an earlier record (the last one is {word(replaced[-1])})")
    if timing:
        tell_timing(watch)
    first, last = (label(profiles, key=run_key) for label in (min, max))
    rows = sum(p.rows for p in profiles.values())
    say(f"{word(table)}: {plural(len(profiles), 'run')} from {word(first)} to {word(last)}, {plural(rows, 'row')}")
    clauses = sum(len(p.clauses) for p in programs.values())
    ready = [p for p in programs.values() if p.is_ready]
    if ready:
        say(f"backfilled: {word(table)}, {plural(clauses, 'constraint')} learned on {plural(len(ready), 'column')}")
    else:
        have = max((p.runs for p in programs.values()), default=0)
        say(f"backfilled: {word(table)}, learning: {have} of {NEEDED_RUNS} runs")


def _profiled(
    ctx: typer.Context, guard: Validator, table: str, source: Source, by: tuple[str, ...], watch: Stopwatch
) -> dict[str, TableProfile]:
    """The profiles of all runs, by Spark or in this process."""
    from byhistory.cli._progress import spark_working, working
    from byhistory.spark.failure import explained
    from byhistory.validator.files import profiled_runs

    config, how = guard.config.table(table), guard.profiling(table)
    tell = partial(watch.ways.__setitem__, table)
    if config.engine == "local":
        with working("profiling all runs"), watch("profile"):
            return profiled_runs(None, source, by, config, how, tell=tell)
    with watch("JVM start"):
        spark = spark_of(ctx)
    with explained(f"read {source}"), spark_working(spark, "profiling all runs"), watch("profile"):
        return profiled_runs(spark, source, by, config, how, tell=tell)


def _from_versions(ctx: typer.Context, config: Config, table: str, versions: int) -> None:
    from byhistory.cli._progress import spark_working
    from byhistory.cli._say import plural, say, word
    from byhistory.spark.failure import explained

    entry = config.table(table)
    if not entry.path or entry.query or entry.where or entry.catalog:
        found = "--versions without a path, or beside a query, a condition or a table of the catalog"
        raise ByHistoryError(f"backfill {table!r}", found, "name the folder of a Delta table, and nothing else")
    with opened(ctx, config, make=True) as guard:
        spark = spark_of(ctx)
        with explained(f"read the versions of {entry.path}"), spark_working(spark, "profiling"):
            runs = guard.backfill_versions(spark, table, entry.path, versions)
    rows = plural(sum(run.rows for run in runs), "row")
    said = f"{plural(len(runs), 'commit')} from {runs[0].run} to {runs[-1].run}"
    say(f"backfilled: {word(table)}, {said}, {rows}")
