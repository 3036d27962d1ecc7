"""Profile all columns of a run, or of all runs of a table, in one Spark job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any

import byhistory
from byhistory.profile import ColumnProfile, TableProfile, from_bytes
from byhistory.profile.past import run_key
from byhistory.rows.chunk import profile_array
from byhistory.rows.field import Field
from byhistory.rows.fold import unpack
from byhistory.rows.how import Asked, How
from byhistory.rows.sample import from_ipc, merged_sample
from byhistory.spark import worker
from byhistory.spark.columns import Measured, Selection, select
from byhistory.spark.job import RESULT, rows_of
from byhistory.spark.ship import archive_of, send_by_value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

MOST_TASKS = 256
"""How many tasks a job has, by choice: each sends a partial profile per column to the driver, which merges them."""
PARTS = 8000
"""How many partial profiles come back to the driver, by choice: up to 35 KB each, so fewer tasks for wider tables."""
SAMPLE_CELLS = 1 << 20
"""How many cells a sample has at most, by choice: 4,096 rows of up to 256 columns, fewer rows of wider tables."""


def profile(
    df: DataFrame,
    *,
    run: str = "",
    **asked: Unpack[Asked],
) -> TableProfile:
    """Profile a DataFrame as one run labelled `run`, in one Spark job on the session that it belongs to."""
    return profile_as(df, run, How.of(asked))


def profile_runs(
    df: DataFrame,
    by: str,
    **asked: Unpack[Asked],
) -> dict[str, TableProfile]:
    """Profile all runs of a table in one Spark job: a run is the rows that share a value of the column `by`.

    Runs come in the order of their labels; the last one carries the sample of rows. Rows without a label belong to
    no run: they are left out, and every profile says how many there were.
    """
    return profile_runs_as(df, by, How.of(asked))


def profile_as(df: DataFrame, run: str, how: How) -> TableProfile:
    """Profile a DataFrame as one run, as a value of `How` says."""
    selection = select(df, None, how)
    return one_run(run, selection.measured, _fold(selection, how), how)


def profile_runs_as(df: DataFrame, by: str, how: How, called: str = "") -> dict[str, TableProfile]:
    """Profile all runs of a table, as a value of `How` says; `called` is what users know the column `by` as."""
    selection = select(df, by, how)
    return in_order(selection.measured, _fold(selection, how), called or by, how)


def one_run(run: str, measured: Measured, folded: dict[str | None, Folded], how: How) -> TableProfile:
    """The profile of a table that is one run."""
    return _assembled(run, measured, folded.get("", Folded()), how)


def in_order(measured: Measured, folded: dict[str | None, Folded], by: str, how: How) -> dict[str, TableProfile]:
    """The profiles of all runs, in the order of their labels."""
    unlabelled = folded.pop(None, Folded()).rows
    if unlabelled:
        measured = measured.noticing(f"{unlabelled:,} rows have no {by!r} and belong to no run")
    runs = sorted((run for run in folded if run is not None), key=run_key)
    for run in runs[:-1]:  # a partition without rows of the last run has sampled another one
        folded[run].samples.clear()
    return {r: _assembled(r, measured, folded.pop(r), how) for r in runs}


@dataclass
class Folded:
    """The results for one run: parts as bytes, because together they are large and each is needed only once."""

    rows: int = 0
    columns: dict[int, list[tuple[bytes, bytes | None]]] = field(default_factory=dict)
    samples: list[bytes] = field(default_factory=list)
    parts: int = 0
    without: Counter[int] = field(default_factory=Counter)
    """In how many parts no file had a column, by the number of the column."""

    def has(self, column: int) -> bool:
        """Whether any file of the run had a column; true for a run without rows, which is not known to lack one."""
        return not self.parts or self.without[column] < self.parts


def _fold(selection: Selection, how: How) -> dict[str | None, Folded]:
    """Run the job, and sort its results by run and column."""
    columns = max(1, len(selection.measured.fields))
    task = worker.Task(work_of(selection.measured.fields, how, by_run=selection.by_run))
    send_by_value()
    # No shuffle, so that it is one job and one stage.
    folded = selection.df.coalesce(min(MOST_TASKS, max(8, PARTS // columns))).mapInArrow(task, RESULT)
    return collected(rows_of(folded))[0]


def work_of(fields: Sequence[Field], how: How, *, by_run: bool) -> worker.Work:
    """What the workers do with the rows of a table, in plain values."""
    return worker.Work(
        version=byhistory.__version__,
        archive=archive_of(),
        fields=tuple((f.name, f.kind.value, f.type, f.nullable, f.position) for f in fields),
        options=astuple(how.options),
        by_run=by_run,
        sample_rows=_sampled_rows(how.sample_rows, len(fields)),
        seed=how.seed,
    )


def _sampled_rows(rows: int, columns: int) -> int:
    """How many rows are sampled from a table with this many columns."""
    return min(rows, max(64, SAMPLE_CELLS // max(1, columns)))


def collected(rows: Iterable[Any]) -> tuple[dict[str | None, Folded], list[str]]:
    """The results by run and column, and the reasons why files were not read."""
    runs: dict[str | None, Folded] = {}
    declined = []
    for label, column, part, alone in rows:
        if column == worker.DECLINED:
            declined.append(part.decode())
            continue
        run = runs.setdefault(label, Folded())
        if column == worker.ROWS:
            run.rows += int(part)
            run.parts += 1
        elif column == worker.ABSENT:
            run.without.update(map(int, part.split()))
        elif column == worker.SAMPLE:
            run.samples.append(part)
        else:
            run.columns.setdefault(column, []).append((part, alone))
    return runs, declined


def _assembled(run: str, measured: Measured, folded: Folded, how: How) -> TableProfile:
    import pyarrow as pa

    columns = {}
    for number, field_ in enumerate(measured.fields):
        parts = folded.columns.pop(number, [])
        if not folded.has(number):
            continue
        if len(parts) == 1 and parts[0][1] is not None:
            columns[field_.name] = from_bytes(parts[0][1])
            continue
        in_flight = [from_bytes(unpack(part)) for part, _ in parts] or [profile_array(pa.nulls(0), field_, how.options)]
        columns[field_.name] = ColumnProfile.sum_of(in_flight).sealed(how.options.key)
    sample = None
    if folded.samples:
        sample = merged_sample([from_ipc(data) for data in folded.samples], how.sample_rows)
        sample = sample.rename_columns([f.name for f in measured.fields]).select(list(columns))
    return TableProfile(run, folded.rows, columns, measured.notices, sample)
