"""Keep the past runs of a table, in one Spark job."""

from __future__ import annotations

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import configuration, opened, pairs, settings_of, spark_of
from byhistory.errors import ByHistoryError

EXAMPLES = """
byhistory backfill orders lake/orders --run-column ds
byhistory backfill orders 'in/*.csv' --run-column day --option sep=';' --exclude comment
byhistory backfill orders --catalog shop.orders --run-column year,month,day --remote sc://spark:15002
byhistory backfill orders --query "select * from shop.orders where ds >= '2026-01-01'" --run-column ds
"""

LABEL = "byhistory_run"
"""The name of the column in which a label made of several columns is handed to Spark."""


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
) -> None:
    """Profile every past run of a table in one Spark job, keep them, and learn from them.

    A run is the rows that share a value of --run-column. Runs that are kept already are replaced.
    """
    from byhistory.cli._progress import counting, spark_working
    from byhistory.cli._reading import RUN_COLUMN, Given, run_columns, source_of, with_given
    from byhistory.cli._say import note, plural, say, word
    from byhistory.cli._say import table as as_table
    from byhistory.profile.past import run_key
    from byhistory.program import NEEDED_RUNS
    from byhistory.spark import profile_runs
    from byhistory.spark.failure import explained
    from byhistory.spark.read import read, with_label

    options = pairs(option or [], "--option")
    given = Given(path, "", run_column, format_, options, schema, where, columns, exclude, query, catalog)
    config = with_given(configuration(ctx), table, given)
    source = source_of(table, config.table(table))
    with opened(ctx, config, make=True) as guard:
        by = run_columns(table, config.table(table), guard.store)
        if not by:
            raise ByHistoryError(
                f"backfill {table!r}", "no column that tells its runs apart", "name it, such as --run-column ds"
            )
        spark = spark_of(ctx)
        with explained(f"read {source}"), spark_working(spark, "profiling all runs"):
            df = read(spark, source)
            labelled = df if len(by) == 1 else with_label(df, by, LABEL)
            profiles = profile_runs(labelled, by[0] if len(by) == 1 else LABEL, **guard.profiling(table))
        if not profiles:
            raise ByHistoryError(
                f"backfill {table!r} from {source}", "no rows", "see whether the path and --where are right"
            )
        for notice in next(iter(profiles.values())).notices:
            note(notice)
        with counting("learning", "columns") as progress:
            replaced = guard.remember(profiles.values(), table, progress)
        guard.keep(table, RUN_COLUMN, ",".join(by))  # so that a check knows that it is no data
        if settings_of(ctx).verbose:
            say(as_table(["run", "rows"], [[r, f"{p.rows:,}"] for r, p in profiles.items()], right=["rows"]))
        programs = guard.programs(table)
    if replaced:
        note(f"{plural(len(replaced), 'run')} replaced an earlier record (the last one is {word(replaced[-1])})")
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
