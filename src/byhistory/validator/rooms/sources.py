"""The room of sources: tables that are read from where the configuration says, by Spark or in this process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byhistory.profile import TableProfile
from byhistory.profile.label import checked_label
from byhistory.validator.files import Tell, silent
from byhistory.validator.judged import Judged
from byhistory.validator.labelled import RUN_COLUMN, run_columns
from byhistory.validator.learning import Progress, Spread
from byhistory.validator.reading.past import Backfilled, profiles_of_runs
from byhistory.validator.reading.rows import RunRows, rows_of_run
from byhistory.validator.reading.run import AskedRun, profile_of_run
from byhistory.validator.reading.source import source_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from byhistory.validator.validator import Validator

BACKFILLED = "backfilled"
"""The setting that is kept once all of a table is brought in, so that `backfill --all` can continue where it was."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Tables read from where they are stored: `guard.sources`. byhistory.toml says where that is, or the arguments
    here.

    Every method takes the session of `spark` that reads; without one, files are read in this process. `tell` gets a
    sentence on how they are read. With `shadow` a verdict never stops anything. A table of a Delta or Iceberg `catalog`
    is named as Spark names it.

    >>> import tempfile, pathlib, pyarrow as pa, pyarrow.parquet as pq
    >>> from byhistory import Config, Validator
    >>> guard, lake = Validator("memory:", config=Config()), pathlib.Path(tempfile.mkdtemp())
    >>> _ = (lake / "ds=2026-11-15").mkdir()
    >>> pq.write_table(pa.table({"n": [1, 2, 3]}), lake / "ds=2026-11-15" / "part.parquet")
    >>> judged = guard.sources.check("orders", path=str(lake / "ds=2026-11-15"))
    >>> judged.run, judged.profile.rows, judged.status
    ('2026-11-15', 3, 'learning')
    """

    guard: Validator

    def check(
        self,
        table: str,
        spark: SparkSession | None = None,
        *,
        path: str = "",
        run: str = "",
        latest: bool = False,
        shadow: bool | None = None,
        spread: Spread | None = None,
        tell: Tell = silent,
    ) -> Judged:
        """Profile one run where it is stored, judge it by the runs before, and record both.

        Which run: the one named by `run`, or by the path (`ds=2026-11-15`), or the only one (with `latest`, the last
        one) in the columns that tell runs apart, or the last commit of a Delta or Iceberg table. `path` and `run` win
        over those of the configuration. `tell` is called with one line that says how the rows were read. Tables with
        thousands of columns are learned by the workers of the session, or as `spread` says.
        """
        config = self.guard.config.table(table)
        if path:
            config = replace(config, path=path, catalog="", query="")
        if run:
            config = replace(config, run=checked_label(run))
        profile = profile_of_run(AskedRun(self.guard, spark, table, config, latest, tell))
        return self.guard.judge(profile, table, shadow=shadow, spread=_spread(spark, spread))

    def backfill(
        self,
        table: str,
        spark: SparkSession | None = None,
        *,
        reading: Progress | None = None,
        learning: Progress | None = None,
        spread: Spread | None = None,
        tell: Tell = silent,
    ) -> Backfilled:
        """Profile every past run of a table, keep them, and learn from them.

        Runs are told apart by columns of the table, or by their paths if the configured path contains `{run}`.
        `reading` is called with the number of runs read so far, `learning` with the number of columns learned.
        """
        of = self.guard.guarded(table)
        named = run_columns(self.guard, table)
        with of.step("profile"):
            profiles, by = profiles_of_runs(self.guard, spark, table, reading, tell)
        with of.step("learn"):
            replaced = self.guard.remember(profiles.values(), table, learning, _spread(spark, spread))
        if by:
            of.keep(RUN_COLUMN, ",".join(by))  # so that a check knows that it is no data
        of.keep(BACKFILLED, f"{len(profiles)} runs")
        return Backfilled(profiles, tuple(replaced), () if named else by)

    def is_backfilled(self, table: str) -> bool:
        """Whether a backfill of this table has finished."""
        return self.guard.records.kept(table, BACKFILLED) is not None

    def rows(self, table: str, run: str, spark: SparkSession | None = None) -> RunRows:
        """The rows of a run, and of the last good run before it if they can be found in the same way; for `why`."""
        return rows_of_run(self.guard, spark, table, run)

    def check_version(
        self, table: str, spark: SparkSession, path: str = "", *, catalog: str = "", shadow: bool | None = None
    ) -> Judged:
        """Judge the last commit of a Delta or Iceberg table, labelled with its time, by the commits before it.

        If the commit appended rows, these are judged; else the whole table. A commit is never judged twice.
        """
        from byhistory.spark.read import Source
        from byhistory.validator.versions import last_version

        run, rows = last_version(self.guard, spark, table, Source(path=path, catalog=catalog, name=table))
        return self.guard.check(rows, table, run, shadow=shadow)

    def backfill_versions(
        self, table: str, spark: SparkSession, path: str = "", *, catalog: str = "", versions: int = 60
    ) -> list[TableProfile]:
        """Profile the last commits of a Delta or Iceberg table as its past runs, and learn from them.

        A run is labelled with the time of its commit: the rows that the commit added if the table grows, the whole
        table if it is rewritten. `versions` is how many commits to go back. A version whose files are gone raises the
        error of the table's format; one that was judged already keeps its verdict. Without a `path` or a `catalog`
        name, the configuration says where the table is.
        """
        from byhistory.spark.failure import explained
        from byhistory.spark.read import Source
        from byhistory.validator.versions import profiled_versions

        config = self.guard.config.table(table)
        is_given = path or catalog
        source = Source(path=path, catalog=catalog, name=table) if is_given else source_of(table, config)
        with explained(f"read the versions of {source.path or source.catalog}"):
            runs = profiled_versions(self.guard, spark, table, source, versions)
        self.guard.remember(runs, table, spread=Spread(spark))
        return runs


def _spread(spark: SparkSession | None, given: Spread | None) -> Spread | None:
    return Spread(spark) if given is None and spark is not None else given
