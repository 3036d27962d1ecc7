"""One run of one table: judged by the facade, with progress for a person who waits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from byhistory.cli._progress import spark_working, working
from byhistory.cli._say import note
from byhistory.errors import ByHistoryError
from byhistory.plain import word

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.cli._timing import Stopwatch
    from byhistory.validator import Judged, Validator
    from byhistory.validator.learning import Spread
    from byhistory.why import Answer


def judged(
    spark: SparkSession | None,
    guard: Validator,
    table: str,
    watch: Stopwatch,
    *,
    latest: bool = False,
    shadow: bool | None = None,
    spread: Spread | None = None,
    is_of_many: bool = False,
) -> Judged:
    """Judge the run of a table that its configuration names, and record it; without a session, from local files.

    With `is_of_many` tables, a record that replaces another is not reported for each of them.
    """
    tell = partial(watch.ways.__setitem__, table)
    with spark_working(spark, f"checking {word(table)}"):
        answer = guard.sources.check(table, spark, latest=latest, shadow=shadow, spread=spread, tell=tell)
    for notice in answer.profile.notices:
        note(f"{word(table)}: {word(notice)}")
    if answer.is_replacing and not is_of_many:
        from byhistory.report.answers.verdict import replaced

        note(replaced(table, answer.run))
    return replace(answer, profile=replace(answer.profile, notices=()))  # they have just been shown


def reasons(spark: SparkSession | None, guard: Validator, judged: Judged) -> Answer | None:
    """Why a run that was just judged is not as usual; None, with a note about it, if that cannot be found out.

    The verdict stands whatever becomes of this.
    """
    table, run = judged.table, judged.run
    try:
        rows = guard.sources.rows(table, run, spark)
        for notice in rows.notices:
            note(f"{word(table)}: {word(notice)}")
        with working(f"asking why {word(table)} {word(run)}"):
            return guard.why(rows.now, judged, before=rows.before)
    except Exception as reason:
        found = reason.found if isinstance(reason, ByHistoryError) else type(reason).__name__
        from byhistory.report.answers.verdict import not_explained

        note(not_explained(table, run, found))
        return None
