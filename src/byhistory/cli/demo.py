"""All of it, on generated data."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli._settings import spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.report.story import Story
    from byhistory.validator import Judged, Validator

EXAMPLES = """
byhistory demo
byhistory demo --incident nulls
byhistory demo --keep try-it
"""

DAYS = 30
TABLE = "orders"
_BAR = 24
_SHOWN = ("complete_ratio", "dist_val_count", "mean", "std", "min", "max", "str_len")


def run(
    ctx: typer.Context,
    incident: Annotated[
        str, typer.Option(metavar="NAME", help="What breaks: cents, segment, nulls or casing.")
    ] = "cents",
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep data, history and report there. Default: nothing is kept.")
    ] = None,
) -> None:
    """Try it: thirty good days of a shop's orders, one more good day, one on which something broke.

    Takes about half a minute, most of it to start Spark. Leaves nothing behind unless --keep says where.
    """
    from byhistory.cli._say import say
    from byhistory.demo import INCIDENTS

    if incident not in INCIDENTS:
        raise ByHistoryError("run the demo", f"no incident {incident!r}", f"name one of {', '.join(INCIDENTS)}")
    begin = time.perf_counter()
    with _folder(keep) as folder:
        _played(ctx, folder, incident)
        if keep is not None:
            say(f"kept in {keep}: lake/ (the data), byhistory.db (the history), orders.html (the report)")
            say(f"go on with: cd {keep} && byhistory runs {TABLE}")
    say(f"demo: everything worked, in {time.perf_counter() - begin:.0f} s")


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
    from byhistory.cli._progress import counting
    from byhistory.cli._say import document, plural, say
    from byhistory.cli._show import in_text, verdict_line, write
    from byhistory.config import Config
    from byhistory.demo import INCIDENTS, write_lake
    from byhistory.report import to_html
    from byhistory.report.explain import explain
    from byhistory.spark.session import SHORT_LIVED
    from byhistory.validator import Validator

    lake = folder.resolve() / "lake" / "orders"  # the JVM may have been started in another directory
    *past, good, bad = write_lake(lake, DAYS + 2, incident=incident)
    later = {day: (lake / f"ds={day}").rename(folder / f"{day} is still to come") for day in (good, bad)}
    say(f"The orders of a shop: {plural(DAYS, 'good day')} in lake/orders, one Parquet file a day.")
    spark = spark_of(ctx, SHORT_LIVED)
    with Validator(f"sqlite:///{folder.resolve()}/byhistory.db", config=Config()) as guard:
        _step("byhistory backfill orders lake/orders --run-column ds")
        with counting("learning", "columns") as progress:
            guard.backfill(spark.read.parquet(str(lake)), TABLE, "ds", progress)
        clauses = sum(len(p.clauses) for p in guard.programs(TABLE).values())
        say(f"{plural(DAYS, 'run')} profiled in one Spark job; {plural(clauses, 'constraint')} learned.")
        say(f"What is kept of {past[-1]} (no values, only such numbers and keyed hashes):")
        say(_metrics(guard, past[-1]))
        for day in (good, bad):
            later[day].rename(lake / f"ds={day}")
            answer = _checked(spark, guard, lake, day)
            story = answer.story()
            document(in_text(story))
            verdict_line(answer)
        say(f"\n(What really happened on {bad}: {INCIDENTS[incident][0]}.)")
        column = next((f.column for f in story.verdict.findings if f.stops and f.column), "amount")
        _step(f"byhistory explain orders {column}")
        say(explain(guard.programs(TABLE)[column]))
        _step("byhistory report orders -o orders.html")
        write(folder / "orders.html", to_html(story))
        size = (folder / "orders.html").stat().st_size / 1024
        say(f"One page with pictures, {size:,.0f} KB (--keep leaves it to you). In letters, {column} before and then:")
        say(_picture(story, column))
        say()


def _step(command: str) -> None:
    from byhistory.cli._say import say

    say(f"\n$ {command}")


def _checked(spark: SparkSession, guard: Validator, lake: Path, day: str) -> Judged:
    from byhistory.cli._progress import spark_working

    _step(f"byhistory check orders lake/orders/ds={day}")
    with spark_working(spark, "profiling"):
        return guard.check(spark.read.parquet(str(lake / f"ds={day}")), TABLE, day)


def _metrics(guard: Validator, run: str) -> str:
    from byhistory.cli._say import table
    from byhistory.constraints.words import amount
    from byhistory.metrics import Single, by_name

    shown = [m for name in _SHOWN if isinstance(m := by_name(name), Single)]
    rows = [
        [name, p.kind, *(amount(m(p), m, p.kind) if p.kind in m.kinds else "" for m in shown)]
        for name, p in guard.profile_of(TABLE, run).columns.items()
    ]
    return table(["column", "kind", *(m.name for m in shown)], rows, right=[m.name for m in shown])


def _picture(story: Story, column: str) -> str:
    """A column's distribution before and on the day, as bars beside each other, and the past of what broke."""
    from byhistory.cli._say import bar, table
    from byhistory.report.terminal import sparkline

    told = next(c for c in story.columns if c.name == column)
    lines = [
        f"{clause.title}: {sparkline(clause.line.values)} ({clause.write(clause.line.values[-1])} on the last day)"
        for clause in told.clauses
        if clause.outcome.status == "broken"
    ]
    for shape in told.shapes[:1]:
        most = max([*shape.before, *shape.now])
        rows = [
            (label, bar(a / most, _BAR), bar(b / most, _BAR))
            for label, a, b in zip(shape.labels, shape.before, shape.now, strict=True)
            if a or b
        ]
        lines.append(table([shape.title, "the good run before", "on the day"], rows))
    return "\n".join(lines)
