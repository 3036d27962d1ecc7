"""Everything once, on generated data."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli._settings import spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from datetime import datetime

    from pyspark.sql import SparkSession

    from byhistory.demo import Day
    from byhistory.report.story import Story
    from byhistory.validator import Validator

EXAMPLES = """
byhistory demo
byhistory demo --incident nulls
byhistory demo --keep try-it
byhistory demo --serve
"""

TABLE = "orders"


def run(
    ctx: typer.Context,
    incident: Annotated[
        str,
        typer.Option(metavar="NAME", help="What breaks on the second day: cents, segment, nulls, casing or renamed."),
    ] = "cents",
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep data, history and report there. Default: nothing is kept.")
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Open the console over thirty tables with a story instead; no Spark.")
    ] = False,
    port: Annotated[int, typer.Option(metavar="N", help="With --serve: listen there; 0 for any.")] = 8642,
) -> None:
    """Try it: a month of a shop's orders, and a week with a stop, a warning, a late run and a renamed column.

    Takes about half a minute, most of it to start Spark. Leaves nothing behind unless --keep says where.
    """
    from byhistory.cli._say import say
    from byhistory.demo import INCIDENTS

    if incident not in INCIDENTS:
        raise ByHistoryError("run the demo", f"no incident {incident!r}", f"name one of {', '.join(INCIDENTS)}")
    if serve:
        with _folder(keep) as folder:
            _served(folder, port)
        return
    begin = time.perf_counter()
    with _folder(keep) as folder:
        _played(ctx, folder, incident)
        if keep is not None:
            say(f"kept in {keep}: lake/ (the data), byhistory.db (the history), orders.html (the report)")
            say(f"go on with: cd {keep} && byhistory runs {TABLE}")
    say(f"demo: everything worked, in {time.perf_counter() - begin:.0f} s")


def _served(folder: Path, port: int) -> None:
    from byhistory.cli._progress import counting
    from byhistory.cli._say import say
    from byhistory.cli._serving import serve
    from byhistory.demo.fleet import TABLES, play
    from byhistory.validator.guarded import utc_now
    from byhistory.web.access import Access

    say(f"The {len(TABLES)} tables of a company that does not exist; last night, something broke.")
    done: list[str] = []
    with counting("making them up", "tables") as progress:

        def tell(name: str) -> None:
            done.append(name)
            progress(len(done), len(TABLES))

        guard = play(f"{folder.resolve()}/byhistory.db", utc_now(), tell)
    with guard:
        serve(guard, Access(), "127.0.0.1", port)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    import tempfile

    if keep is None:
        with tempfile.TemporaryDirectory(prefix="byhistory-demo-") as name:
            yield Path(name)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise ByHistoryError("keep the demo", f"{keep}, which is there and not empty", "name a directory that is not")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep


def _played(ctx: typer.Context, folder: Path, incident: str) -> None:
    from byhistory.cli._say import say
    from byhistory.cli._show import write
    from byhistory.config import Config
    from byhistory.demo import PAST, WEEK, arrival, write_lake
    from byhistory.plain import plural
    from byhistory.report import to_html
    from byhistory.spark.session import SHORT_LIVED
    from byhistory.validator import Validator

    lake = folder.resolve() / "lake" / "orders"  # the JVM may have been started in another directory
    past = write_lake(lake, PAST)
    say(f"The orders of a shop: {plural(PAST, 'good day')} in lake/orders, one Parquet file a day.")
    spark = spark_of(ctx, SHORT_LIVED)
    clock = _Clock(arrival(PAST - 1))
    with Validator(f"{folder.resolve()}/byhistory.db", config=Config(), clock=clock) as guard:
        _backfilled(spark, guard, lake, past)
        stopped = ""
        for day in WEEK:
            if day.incident == "renamed":
                _late(guard, clock)
            clock.now = arrival(day.number)
            first_stop = day.incident == "cents"
            label, story = _next_day(spark, guard, lake, day, incident if first_stop else day.incident)
            if first_stop:
                stopped = label
                column = next((f.column for f in story.verdict.findings if f.stops and f.column), "amount")
                _looked_at(guard, story, column)
                _answered(guard, label)
        _step("byhistory inbox")
        _inbox(guard)
        _step(f"byhistory report orders {stopped} -o orders.html")
        write(folder / "orders.html", to_html(guard.records.story(TABLE, stopped)))
        size = (folder / "orders.html").stat().st_size / 1024
        say(f"One page with pictures, {size:,.0f} KB (--keep leaves it to you).\n")


@dataclass
class _Clock:
    """The time in the demo, which plays a week in half a minute. It is mutable because time goes on."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


def _step(command: str) -> None:
    from byhistory.cli._say import say

    say(f"\n$ {command}")


def _backfilled(spark: SparkSession, guard: Validator, lake: Path, past: list[str]) -> None:
    from byhistory.cli._progress import counting
    from byhistory.cli._say import say
    from byhistory.plain import plural
    from byhistory.report.answers.demo import measured

    _step("byhistory backfill orders lake/orders --run-column ds")
    with counting("learning", "columns") as progress:
        guard.backfill(spark.read.parquet(str(lake)), TABLE, "ds", progress)
    clauses = sum(len(p.clauses) for p in guard.learning.programs(TABLE).values())
    say(f"{plural(len(past), 'run')} profiled in one Spark job; {plural(clauses, 'constraint')} learned.")
    say(f"What is kept of {past[-1]} (no values, only such numbers and keyed hashes):")
    say(measured(guard.records.profile_of(TABLE, past[-1]).columns))


def _next_day(spark: SparkSession, guard: Validator, lake: Path, day: Day, incident: str | None) -> tuple[str, Story]:
    """Write the orders of the next day, and judge them."""
    from byhistory.cli._progress import spark_working
    from byhistory.cli._say import document, say
    from byhistory.cli._show import in_text, verdict_line
    from byhistory.demo import INCIDENTS, write_day

    label = write_day(lake, day.number, incident)
    _step(f"byhistory check orders lake/orders/ds={label}")
    with spark_working(spark, "profiling"):
        answer = guard.check(spark.read.parquet(str(lake / f"ds={label}")), TABLE, label)
    story = answer.story()
    document(in_text(story))
    verdict_line(answer)
    if incident is not None:
        say(f"\n(What really happened on {label}: {INCIDENTS[incident][0]}.)")
    return label, story


def _looked_at(guard: Validator, story: Story, column: str) -> None:
    from byhistory.cli._say import say
    from byhistory.report.answers.demo import picture
    from byhistory.report.explain import explain

    _step(f"byhistory explain orders {column}")
    say(explain(guard.learning.programs(TABLE)[column]))
    say(f"In letters, {column} before and then:")
    say(picture(story, column))


def _answered(guard: Validator, run: str) -> None:
    from byhistory.cli._decided import decided

    _step(f'byhistory reject orders {run} --why "delivered again, corrected" --who ann')
    guard.decisions.reject(TABLE, run, why="delivered again, corrected", who="ann")
    decided(guard, TABLE, run, "rejected")


def _late(guard: Validator, clock: _Clock) -> None:
    from byhistory.cli._say import say
    from byhistory.demo import is_late_at
    from byhistory.report.answers import due as answer

    clock.now = is_late_at()
    say(f"\n(It is {clock.now:%A, %Y-%m-%d %H:%M} UTC, and the orders of two days have not come.)")
    _step("byhistory due")
    say(answer.in_words(guard.due(), clock.now))


def _inbox(guard: Validator) -> None:
    from byhistory.cli._say import say
    from byhistory.report.answers import inbox as answer

    say(answer.in_words(guard.decisions.inbox()))
