"""One line in a job: profile, judge, record, learn."""

from __future__ import annotations

import getpass
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from byhistory.config import Config, TableConfig, read_config
from byhistory.constraints.joint import JOINT
from byhistory.errors import ByHistoryError
from byhistory.history import Decision, Programs, Run, RunLine, Setting, Store, open_store
from byhistory.metrics import ALL as ALL_METRICS
from byhistory.metrics import Metric
from byhistory.profile import ColumnProfile, Kind, TableProfile, from_bytes, to_bytes
from byhistory.profile.past import in_order, run_key
from byhistory.program import NEEDED_RUNS, Override, Program, explain, from_json, overridden, to_json
from byhistory.rows.field import Options
from byhistory.validator.backtest import Backtest, backtest
from byhistory.validator.calibrate import Calibration, calibrate
from byhistory.validator.learning import Progress, Spread, fits, learn_all, over
from byhistory.validator.measures import Measures
from byhistory.validator.memory import Memory, is_good
from byhistory.validator.overrides import from_config, from_text, pinned, to_text
from byhistory.verdict import Verdict, check
from byhistory.verdict.codec import to_json as verdict_to_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from byhistory.report import Story

OVERRIDES, PINS = "overrides", "pins"
"""Settings of a table: what was decided by command, and the clauses that the configuration pins."""

Step = Callable[[str], AbstractContextManager[object]]
"""Told the name of each step of a check, which then runs inside what it returns: a stopwatch, or a message."""


def _now() -> datetime:
    return datetime.now(timezone.utc)  # noqa: TID251 - the one clock; a test passes its own


class Validator:
    """Guards tables with a history kept in a store.

    A class because it holds the store open. `store` is a URL (`sqlite:///byhistory.db`, `postgresql://…`, a
    directory) or an open store; `config` is what `byhistory.toml` says, read if not given; `step` sees where time goes.

    >>> from byhistory.rows.local import profile_table
    >>> guard = Validator("memory:", config=Config())
    >>> verdict = guard.judge(profile_table({"n": [1, 2, 3]}, run="2026-11-15"), "orders")
    >>> verdict.ok, verdict.status
    (True, 'learning')
    """

    def __init__(
        self,
        store: str | Store | None = None,
        *,
        config: Config | None = None,
        metrics: Sequence[Metric] = ALL_METRICS,
        clock: Callable[[], datetime] = _now,
        step: Step = nullcontext,
    ) -> None:
        self.config = read_config() if config is None else config
        self.store: Store = open_store(store or self.config.store) if isinstance(store, str | None) else store
        self._metrics, self._clock, self._step = tuple(metrics), clock, step

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What is measured."""
        return self._metrics

    def now(self) -> datetime:
        """The time that is written beside what is kept."""
        return self._clock()

    def __enter__(self) -> Validator:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    # ------------------------------------------------------------------------------------------------ runs

    def check(self, df: DataFrame, table: str, run: str, *, shadow: bool | None = None) -> Verdict:
        """Profile a DataFrame in one Spark job, judge it by the runs before, and record both."""
        from byhistory.spark import profile

        with self._step("profile"):
            batch = profile(df, run=run, **self.profiling(table))
        return self.judge(batch, table, shadow=shadow, spread=over(df.sparkSession))

    def backfill(self, df: DataFrame, table: str, by: str, progress: Progress | None = None) -> list[str]:
        """Profile all runs of a table in one Spark job, keep them as its past, and learn from them."""
        from byhistory.spark import profile_runs

        runs = profile_runs(df, by, **self.profiling(table)).values()
        return self.remember(runs, table, progress, spread=over(df.sparkSession))

    def profiling(self, table: str) -> dict[str, Any]:
        """How the configuration wants a table to be profiled, as arguments of `profile` and `profile_runs`."""
        config = self.config.table(table)
        return {
            "kinds": {name: Kind(kind) for name, kind in config.kinds.items()},
            "include": config.include,
            "exclude": config.exclude,
            "options": Options(self.store.key(), config.keep_values),
        }

    def judge(
        self, batch: TableProfile, table: str, *, shadow: bool | None = None, spread: Spread | None = None
    ) -> Verdict:
        """Judge a profile by the runs before it, and record it with what was learned for the next.

        With thousands of columns, learning is handed to `spread`.
        """
        config = self.config.table(table)
        with self._step("load history"):
            memory = Memory.of(self.store, table, batch.run, config)
            past = memory.past(config.wants)
            overrides = self.overrides(table)
            self._keep_pins(table)
        with self._step("learn"):
            programs = self._current(memory, config, batch)
        with self._step("judge"):
            found: dict[str, ColumnProfile | None] = {name: past.column(name).before for name in batch}
            before = {name: p for name, p in found.items() if p is not None}
            applied = {name: overridden(p, overrides) for name, p in programs.items() if config.wants(name)}
            verdict = check(batch, applied, past, metrics=self._metrics, table=table)
            verdict = replace(verdict, is_shadow=config.shadow if shadow is None else shadow)
            measures = Measures.of(batch, before, self._metrics)
        at = self._clock()
        line = RunLine(table, batch.run, at, verdict.status, batch.rows, len(batch))
        if verdict.ok:
            memory = memory.with_run(line, measures)
            with self._step("learn"):
                programs = learn_all(
                    memory,
                    config,
                    programs,
                    last=batch,
                    before=before,
                    key=self.store.key(),
                    metrics=self._metrics,
                    spread=spread,
                )
        with self._step("store"):
            run = Run(
                table,
                batch.run,
                at,
                verdict.status,
                batch.rows,
                _packed(batch),
                measures.to_bytes(),
                verdict_to_json(verdict, None),
                "shadow" if verdict.is_shadow else "",
            )
            is_latest = not any(run_key(r.run) > run_key(batch.run) for r in self.store.runs(table) if is_good(r))
            self.store.record(run, self._programs(table, memory, programs) if is_latest else None)
        if not is_latest:
            self.relearn(table)
        return verdict

    def remember(
        self,
        profiles: Iterable[TableProfile],
        table: str,
        progress: Progress | None = None,
        spread: Spread | None = None,
    ) -> list[str]:
        """Keep profiles as past runs, unjudged, and learn from them; the labels of those that replaced a record."""
        config, key = self.config.table(table), self.store.key()
        self._keep_pins(table)
        runs = in_order(profiles)
        replaced = []
        before: Mapping[str, ColumnProfile] = {}
        if runs:
            before = Memory.of(self.store, table, runs[0].run, config).last_profiles()
        earlier: Mapping[str, ColumnProfile] = {}
        for run in runs:
            measures = Measures.of(run, before, self._metrics)
            record = Run(table, run.run, self._clock(), "backfilled", run.rows, _packed(run), measures.to_bytes())
            if self.store.record(record):
                replaced.append(run.run)
            earlier, before = before, dict(run.columns)
        memory = Memory.of(self.store, table, None, config).closed()
        if memory.runs:
            last = runs[-1] if runs and memory.runs[-1].run == runs[-1].run else None
            known = self._stored_programs(table)
            learned = learn_all(
                memory,
                config,
                known,
                last=last,
                before=earlier,
                key=key,
                metrics=self._metrics,
                progress=progress,
                spread=spread,
            )
            self.store.save_programs(self._programs(table, memory, learned))
        return replaced

    # ------------------------------------------------------------------------------------------- decisions

    def accept(self, table: str, run: str, *, why: str = "", who: str = "", new_normal: bool = False) -> None:
        """Say that a run was fine, so that it is learned from; or that it is how things are from now on.

        A new normal restarts the history of the columns that were found unusual there (all, if none was).
        """
        columns = self._found_unusual(table, run) if new_normal else ()
        what = "new normal" if new_normal else "accept"
        self._decide(Decision(table, run, what, who or _user(), self._clock(), why, columns))

    def reject(self, table: str, run: str, *, why: str = "", who: str = "") -> None:
        """Say that a run was bad, whatever it was judged to be, so that it is not learned from."""
        self._decide(Decision(table, run, "reject", who or _user(), self._clock(), why))

    def _decide(self, decision: Decision) -> None:
        self.store.decide(decision)
        self.relearn(decision.table)

    def _found_unusual(self, table: str, run: str) -> tuple[str, ...]:
        found = self.store.load(table, [run], ())
        if not found or not found[0].verdict:
            return ()
        findings = json.loads(found[0].verdict)["findings"]
        return tuple(dict.fromkeys(f["column"] for f in findings if f["stops"] and f["column"]))

    # -------------------------------------------------------------------------------------------- programs

    def programs(self, table: str) -> dict[str, Program]:
        """What the next run will be judged by: the learned programs with the user's overrides."""
        overrides, config = self.overrides(table), self.config.table(table)
        memory = Memory.of(self.store, table, None, config)
        learned = self._current(memory, config)
        return {name: overridden(p, overrides) for name, p in learned.items() if config.wants(name)}

    def explain(self, table: str) -> str:
        """The programs of all columns in words."""
        programs = self.programs(table)
        if not programs:
            raise ByHistoryError(
                f"explain {table!r}", "no program for it", "backfill its past runs, or check a run of it first"
            )
        return "\n".join(explain(p, self._metrics) for p in programs.values())

    def relearn(self, table: str, progress: Progress | None = None) -> dict[str, Program]:
        """Learn again from what is kept, after a decision changed what there is to learn from."""
        config = self.config.table(table)
        self._keep_pins(table)
        memory = Memory.of(self.store, table, None, config).closed()
        learned = learn_all(memory, config, self._stored_programs(table), metrics=self._metrics, progress=progress)
        if learned:
            self.store.save_programs(self._programs(table, memory, learned))
        return learned

    def backtest(self, table: str, budget: float | None = None, progress: Progress | None = None) -> Backtest:
        """Replay the past runs: how many alarms there would have been, and what would be caught."""
        config = self.config.table(table)
        config = config if budget is None else replace(config, budget=budget)
        memory = Memory.of(self.store, table, None, replace(config, window=10_000))
        today = self._current(Memory.of(self.store, table, None, config), config)
        return backtest(memory, config, today, self.overrides(table), metrics=self._metrics, progress=progress)

    def calibrate(
        self, tables: Sequence[str] | None = None, budget: float | None = None, progress: Progress | None = None
    ) -> Calibration:
        """Measure prices on the good runs of some tables (all, if none are named) in place of the shipped ones."""
        chosen = self.store.tables() if tables is None else tables
        return calibrate(self.store, chosen, self._metrics, budget or self.config.defaults.budget, progress)

    # ------------------------------------------------------------------------------------------- overrides

    def overrides(self, table: str) -> list[Override]:
        """What the user decided: in the configuration first, then by command, which wins."""
        config = from_config(self.config.table(table), [*(m.name for m in self._metrics), JOINT])
        return [*config, *self._pins(table), *self._kept_overrides(table)]

    def mute(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Judge a column without a metric from now on; `column="*"` for all."""
        self._override(table, Override(column, metric, mute=True), who)

    def set_threshold(
        self, table: str, column: str, metric: str, low: float = -math.inf, high: float = math.inf, *, who: str = ""
    ) -> None:
        """Hold a metric within ends of the user's own, whatever is learned."""
        self._override(table, Override(column, metric, low=low, high=high), who)

    def pin(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Keep the clause on a metric as it is today, whatever is learned later."""
        if column == "*":
            todo = 'name a column, or write pin below [columns."*"] in byhistory.toml'
            raise ByHistoryError(f"pin {metric!r} of all columns", "a command that keeps one clause", todo)
        program = self.programs(table).get(column)
        clause = next((c for c in program.clauses if c.metric == metric), None) if program else None
        if clause is None:
            has = ", ".join(c.metric for c in program.clauses) if program else "no program"
            raise ByHistoryError(f"pin {metric!r} of {column!r}", f"{has or 'no clauses'}", "name a metric that it has")
        self._override(table, Override(column, metric, pin=clause), who)

    def clear_override(self, table: str, column: str, metric: str, *, who: str = "") -> None:
        """Undo mute, pin and threshold for a metric of a column."""
        self._put_overrides(
            table, [o for o in self._kept_overrides(table) if (o.column, o.metric) != (column, metric)], who
        )

    def _override(self, table: str, override: Override, who: str) -> None:
        others = [o for o in self._kept_overrides(table) if (o.column, o.metric) != (override.column, override.metric)]
        self._put_overrides(table, [*others, override], who)

    def _put_overrides(self, table: str, overrides: list[Override], who: str) -> None:
        self.keep(table, OVERRIDES, to_text(overrides), who=who)

    def keep(self, table: str, name: str, text: str, *, who: str = "") -> None:
        """Let a named text about a table hold from now on, such as the column that tells its runs apart."""
        self.store.put_setting(Setting(table, name, text, who or _user(), self._clock()))

    def _kept_overrides(self, table: str, name: str = OVERRIDES) -> list[Override]:
        setting = self.store.settings(table).get(name)
        return [] if setting is None else from_text(setting.text)

    def _pins(self, table: str) -> list[Override]:
        config = self.config.table(table)
        if not any(entries.pin for entries in config.columns.values()):
            return []
        return pinned(config, self._kept_overrides(table, PINS), self._stored_programs(table).values())

    def _keep_pins(self, table: str) -> None:
        """Before anything is learned: the clauses that the configuration pins are those that are there now."""
        pins, kept = to_text(self._pins(table)), self.store.settings(table).get(PINS)
        if pins != ("[]" if kept is None else kept.text):
            self.keep(table, PINS, pins)

    # --------------------------------------------------------------------------------------------- storing

    def _stored_programs(self, table: str) -> dict[str, Program]:
        return _parsed(self.store.programs(table))

    def _current(self, memory: Memory, config: TableConfig, batch: TableProfile | None = None) -> dict[str, Program]:
        """The programs learned from just the runs in memory; learned again if those kept are of others, or otherwise.

        A column of `batch` that comes back is judged by the runs that had it: the last may have been read without it.
        """
        kept = self.store.programs(memory.table)
        stored = _parsed(kept)
        as_of = memory.runs[-1].run if memory.runs else None
        read = batch.columns if batch is not None else {}
        returned = [n for n in read if n not in stored and memory.runs_of(n, read[n].kind) >= NEEDED_RUNS]
        is_new = kept is None or kept.as_of_run != as_of or bool(returned) or memory.gap > 0
        if not is_new and fits(stored, config, memory):
            return stored
        return learn_all(memory, config, stored, also=returned, metrics=self._metrics)

    def _programs(self, table: str, memory: Memory, programs: Mapping[str, Program]) -> Programs:
        texts = {name: to_json(p, None) for name, p in programs.items()}
        return Programs(table, memory.runs[-1].run if memory.runs else "", self._clock(), texts)

    def story(self, table: str, run: str | None = None, show_values: bool = False) -> Story:
        """A kept run (the latest, if none is named) with its verdict and its past, for `byhistory.report` to show."""
        from byhistory.validator.story import story_of

        return story_of(self, table, run, show_values)

    def profile_of(self, table: str, run: str, columns: Sequence[str] | None = None) -> TableProfile:
        """The kept profile of a run."""
        found = self.store.load(table, [run], columns)
        if not found:
            raise ByHistoryError(f"show run {run!r} of {table!r}", "no such run", "name one that `runs` lists")
        return TableProfile(run, found[0].rows, {n: from_bytes(b) for n, b in found[0].columns.items()})


def _user() -> str:
    """Who runs this; a container's user often has no name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def _parsed(kept: Programs | None) -> dict[str, Program]:
    return {} if kept is None else {name: from_json(text) for name, text in kept.by_column.items()}


def _packed(batch: TableProfile) -> dict[str, bytes]:
    return {name: to_bytes(batch[name]) for name in batch}
