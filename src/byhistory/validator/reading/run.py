"""The profile of one run of a table, read from where the configuration says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from byhistory.config import TableConfig
from byhistory.errors import ByHistoryError
from byhistory.profile import TableProfile
from byhistory.validator.files import Tell, profiled, read_here, silent
from byhistory.validator.labelled import run_columns
from byhistory.validator.reading.label import label_in
from byhistory.validator.reading.source import source_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from byhistory.spark.here import Here
    from byhistory.spark.read import Source
    from byhistory.validator.guarded import Step
    from byhistory.validator.validator import Validator

_NAMED = 3
"""How many labels an error names, by choice: enough to see how they are spelled."""


@dataclass(frozen=True, slots=True)
class AskedRun:
    """Which run is to be read, of which table, and how.

    Without a session, files are read in this process. `latest` means the last of the runs that are there. `tell` is
    called with one line that says how the rows were read, and why.
    """

    guard: Validator
    spark: SparkSession | None
    table: str
    config: TableConfig
    latest: bool = False
    tell: Tell = silent

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that tell the runs of the table apart."""
        return run_columns(self.guard, self.table)

    @property
    def source(self) -> Source:
        """Where the rows are."""
        return source_of(self.table, self.config)

    @property
    def step(self) -> Step:
        """The stopwatch of the validator."""
        return self.guard.guarded(self.table).step


def profile_of_run(asked: AskedRun) -> TableProfile:
    """The profile of the run that is asked for; an error if nothing says which run that is, or if it has no rows."""
    profile = _read_here(asked) if asked.spark is None else _read_by_spark(asked, asked.spark)
    if not profile.rows and asked.config.run and asked.columns:
        raise _nothing_of(asked, profile.run)
    return profile


def _read_here(asked: AskedRun) -> TableProfile:
    """The profile of one run, whose files are read in this process."""
    from byhistory.files.choice import run_in_files

    columns, source, config = asked.columns, asked.source, asked.config
    with asked.step("read"):
        (path, lines), named = read_here(source), label_in(source.path, columns)
        chosen = run_in_files(
            path, columns, given=config.run, named=named, latest=asked.latest, storage=config.storage, lines=lines
        )
        run = chosen.label
        if not run:
            raise _no_label(source, columns)
    with asked.step("profile"):
        how = asked.guard.profiling(asked.table)
        return profiled(None, source, run, config, how, only=chosen.only, without=chosen.without, tell=asked.tell)


def _read_by_spark(asked: AskedRun, spark: SparkSession) -> TableProfile:
    """The profile of one run, in one Spark job; its files are read directly where possible."""
    from byhistory.spark import profile
    from byhistory.spark.failure import explained
    from byhistory.spark.here import found_here
    from byhistory.spark.read import read, single_label
    from byhistory.validator.versions import last_version

    columns, source, config, tell = asked.columns, asked.source, asked.config, asked.tell
    how = asked.guard.profiling(asked.table)
    with explained(f"read {source}"):
        with asked.step("read"):
            here, whole = found_here(spark, source, config.storage), None
            rows = _one_run_here(here, source, columns, config.run, asked.latest) if here else None
            if rows is None:
                here, whole = None, read(spark, source)
                if _is_known_by_version(spark, whole, source, columns, config.run):
                    run, written = last_version(asked.guard, spark, asked.table, source)
                    tell("rows come through Spark's reader: they are those of the last commit")
                    return profile(written, run=run, **how)
                label = partial(single_label, whole, columns, source, latest=asked.latest)
                rows = _one_run(whole.columns, source, columns, config.run, label)
        with asked.step("profile"):
            return profiled(
                spark,
                source,
                rows.run,
                config,
                how,
                only=rows.only,
                without=rows.without,
                frame=whole,
                here=here,
                tell=tell,
            )


def _is_known_by_version(
    spark: SparkSession, df: DataFrame, source: Source, columns: tuple[str, ...], given: str
) -> bool:
    """Whether only the last commit of the table tells which run this is."""
    from byhistory.spark.lake import keeps_versions

    is_in_rows = bool(columns) and all(c in df.columns for c in columns)
    return not (given or label_in(source.path, columns) or is_in_rows) and keeps_versions(spark, source)


@dataclass(frozen=True, slots=True)
class _OneRun:
    """Which rows belong to one run: its label, the columns and label that select them, the columns to leave out."""

    run: str
    only: tuple[tuple[str, ...], str] | None = None
    without: tuple[str, ...] = ()


def _one_run_here(here: Here, source: Source, columns: tuple[str, ...], given: str, latest: bool) -> _OneRun | None:
    """The same for files that this process can see; None if Spark has to be asked."""
    last = here.last_label(columns, latest=latest) if columns else None
    if not given and not label_in(source.path, columns) and last is None:
        return None  # Spark may know, or says what is wrong
    return _one_run(here.names, source, columns, given, lambda: last or "")


def _one_run(
    names: Sequence[str], source: Source, columns: tuple[str, ...], given: str, label: Callable[[], str]
) -> _OneRun:
    """The label of the run to be read, and how to select its rows; `label` finds it if nothing else tells."""
    in_path = label_in(source.path, columns)
    is_in_rows = bool(columns) and all(c in names for c in columns)
    if not is_in_rows:
        run = given or in_path
        if not run:
            raise _no_label(source, columns)
        return _OneRun(run)
    if in_path and given in ("", in_path):  # the path is the run, whatever the column in it says
        return _OneRun(in_path, without=columns)
    if given:
        return _OneRun(given, (columns, given))
    run = label()
    return _OneRun(run, (columns, run))


def _no_label(source: Source, columns: tuple[str, ...]) -> ByHistoryError:
    found = "no key=value part in the path that names the run, as ds=2026-11-15 does"
    if columns:
        found += f", and no column {','.join(columns)!r} among the rows"
    return ByHistoryError(
        f"check {source}", found, "name the run with --run, or the column that tells with --run-column"
    )


def _nothing_of(asked: AskedRun, run: str) -> ByHistoryError:
    last = ", ".join(line.run for line in asked.guard.records.runs(asked.table)[-_NAMED:])
    return ByHistoryError(
        f"check run {run!r} of {asked.table!r} in {asked.source}",
        f"no row whose {','.join(asked.columns)} is that" + (f" (the last runs on record are {last})" if last else ""),
        "see whether the run was written, and how its label is spelled",
    )
