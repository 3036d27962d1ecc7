"""What did people decide about the runs of a table, and about what it is judged by?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from byhistory.alarms import ROWS, causes_from_json
from byhistory.errors import ByHistoryError, did_you_mean
from byhistory.history import UNDO, Decision, Programs, RunLine, Setting, decisions_on, is_by_arrival, place_of
from byhistory.learners import Override, Program, from_json
from byhistory.metrics import Measures
from byhistory.profile.label import checked_label, meaning
from byhistory.validator.guarded import Guarded, user
from byhistory.validator.ledger import STOPPED
from byhistory.validator.override_codec import (
    PINS,
    from_config,
    from_text,
    kept_overrides,
    override_name,
    pinned,
    to_text,
)


def decide(
    of: Guarded, run: str, what: str, *, columns: Sequence[str] = (), until: str = "", why: str = "", who: str = ""
) -> None:
    """Keep a person's decision about a run; an error if it is not clear what is meant."""
    decision, _ = decision_of(of, run, what, columns=columns, until=until, why=why, who=who)
    of.store.decide(decision)


def decision_of(
    of: Guarded, run: str, what: str, *, columns: Sequence[str] = (), until: str = "", why: str = "", who: str = ""
) -> tuple[Decision, RunLine | None]:
    """A person's decision about a run, and the run if there is one; an error if it is not clear what is meant.

    A new normal holds from where its alarm opened, for every run that is there when it is declared. It is about the
    record that was looked at: if the run is delivered anew with other data before it is kept, the store refuses it.
    """
    lines = of.store.runs(of.table)
    line = next((r for r in lines if r.run == run), None)
    if line is not None:
        _understood(of, line, what, columns)
        if what == "snooze":
            _must_end(of, lines, line, until)
    if what == "new normal":
        until = lines[-1].run if lines else run
        columns = columns or _found_in(line)
    if what == UNDO and line is not None:
        until = _last_decision(of, line)
    about = {} if line is None else {"record": line.id, "digest": line.digest}
    return Decision(of.table, run, what, who or user(), of.clock(), why, tuple(columns), until, **about), line


def _last_decision(of: Guarded, line: RunLine) -> str:
    """The id of the last decision about a run; an error if there is none."""
    made = decisions_on(line, of.store.decisions(of.table))
    if not made:
        asked = f"say {UNDO!r} of the run {line.run!r} of {of.table!r}"
        raise ByHistoryError(asked, "nothing that was said about it", "see `byhistory runs` for what was")
    return made[-1].id


def _found_in(line: RunLine | None) -> tuple[str, ...]:
    """The columns that stopped a run; none if the number of rows did, so that all of its alarms are meant."""
    causes = causes_from_json(line.causes) if line is not None else ()
    found = dict.fromkeys(column for cause in causes if cause.level == "stop" for column in cause.columns)
    return () if ROWS in found else tuple(found)


def _must_end(of: Guarded, lines: Sequence[RunLine], line: RunLine, until: str) -> None:
    """Raise an error for a snooze that has no end, or ends before it begins."""
    asked = f"snooze the run {line.run!r} of {of.table!r}"
    if not until:
        raise ByHistoryError(asked, "no end of it", "say until which run: --until 2026-11-30")
    checked_label(until)
    why = "runs of this table stay in the order in which they come" if is_by_arrival(lines) else meaning(until).doubt
    if why and all(r.run != until for r in lines):
        found = f"that nobody can tell when {until!r} is over ({why})"
        raise ByHistoryError(asked, found, "accept the run, or name as the end a run that is there")
    if place_of(lines, until) < line.order:
        raise ByHistoryError(asked, f"an end before it ({until})", "name that run or a later one")


def _understood(of: Guarded, line: RunLine, what: str, columns: Sequence[str]) -> None:
    asked = f"say {what!r} of the run {line.run!r} of {of.table!r}"
    causes = causes_from_json(line.causes)
    if what == "new normal" and not columns and not causes and line.outcome not in STOPPED:
        raise ByHistoryError(asked, "nothing unusual in that run", "name the columns that have a new level: --column")
    kept = of.store.load(of.table, [line.run], ())
    known = Measures.from_bytes(of.store.measures(of.table, [line.run])[line.run]).types if kept and columns else {}
    about = {column for cause in causes for column in cause.columns}  # one of them may be gone
    for name in columns:
        if name not in known and name not in about:
            raise ByHistoryError(asked, f"no column {name!r}{did_you_mean(name, known)}", "name a column of that run")


def overrides(of: Guarded, settings: Mapping[str, Setting] | None = None) -> list[Override]:
    """The user's overrides of programs: those of the configuration first, then those by command, which win.

    The `settings` of the table are read if not given.
    """
    there = of.store.settings(of.table) if settings is None else settings
    kept = kept_overrides({name: setting.text for name, setting in there.items()})
    return [*from_config(of.config, of.names), *_pins(of, there), *kept]


def override(of: Guarded, decided: Override, who: str = "") -> None:
    """Keep an override, in place of an earlier one of the same metric of the same column.

    Raise an error for one that could never hold or matter: a share of at least 2, or the capitals of a number.
    """
    _makes_sense(of, decided)
    # One setting per override, so that of several that are made at once none is lost.
    of.keep(override_name(decided.column, decided.metric), to_text([decided]), who)


def _makes_sense(of: Guarded, decided: Override) -> None:
    metric = next((m for m in of.metrics if m.name == decided.metric), None)
    program = stored(of).get(decided.column)
    if metric is None:
        return
    asked = f"decide about {decided.metric!r} of {decided.column!r}"
    if program is not None and program.kind not in metric.kinds:
        kinds = ", ".join(kind for kind in metric.kinds)
        raise ByHistoryError(asked, f"a column that is {program.kind}", f"name a metric of it: this is one of {kinds}")
    if decided.pin is None and (decided.low > metric.high or decided.high < metric.low):
        possible = f"{metric.low:g} to {metric.high:g}"
        ends = f"at least {decided.low:g}" if decided.low > metric.high else f"at most {decided.high:g}"
        raise ByHistoryError(asked, f"{ends}, where {possible} is possible", "give an end that a run can keep")


def clear(of: Guarded, column: str, metric: str, who: str = "") -> None:
    """Undo the override of a metric of a column."""
    of.keep(override_name(column, metric), to_text([]), who)


def clause_to_pin(program: Program | None, column: str, metric: str) -> Override:
    """An override that pins the clause on a metric as it is today; an error that lists the clauses if it has none."""
    if column == "*":
        todo = 'name a column, or write pin below [columns."*"] in byhistory.toml'
        raise ByHistoryError(f"pin {metric!r} of all columns", "a command that keeps one clause", todo)
    clause = next((c for c in program.clauses if c.metric == metric), None) if program else None
    if clause is None:
        has = ", ".join(c.metric for c in program.clauses) if program else "no program"
        raise ByHistoryError(f"pin {metric!r} of {column!r}", f"{has or 'no clauses'}", "name a metric that it has")
    return Override(column, metric, pin=clause)


def keep_pins(of: Guarded, settings: Mapping[str, Setting] | None = None) -> None:
    """Keep the clauses that the configuration pins as they are now, before anything is learned.

    The `settings` of the table are read if not given.
    """
    there = of.store.settings(of.table) if settings is None else settings
    pins, kept = to_text(_pins(of, there)), there.get(PINS)
    if pins != ("[]" if kept is None else kept.text):
        of.keep(PINS, pins)


def stored(of: Guarded) -> dict[str, Program]:
    """The programs in the store."""
    return parsed(of, of.store.programs(of.table))


def parsed(of: Guarded, kept: Programs | None) -> dict[str, Program]:
    """Stored programs, read; none if they cannot be read, so that they are learned again."""
    try:
        return {} if kept is None else {name: from_json(text, of.learners) for name, text in kept.by_column.items()}
    except ByHistoryError:
        return {}


def _pins(of: Guarded, settings: Mapping[str, Setting]) -> list[Override]:
    if not any(entries.pin for entries in of.config.columns.values()):
        return []
    kept = settings.get(PINS)
    return pinned(of.config, [] if kept is None else from_text(kept.text), stored(of).values())
