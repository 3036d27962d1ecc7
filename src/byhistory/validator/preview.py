"""What would change if somebody decided this about a run? Nothing of it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from byhistory.alarms import Alarm
from byhistory.constraints import Constraint
from byhistory.constraints.constraint import JOINT
from byhistory.constraints.words import amount, must, whole_within
from byhistory.history import Decision, RunLine, Store
from byhistory.history.record import with_decisions
from byhistory.learners import Override, Program, overridden
from byhistory.metrics import Metric
from byhistory.report.composing import LOOKED_AT_FIRST
from byhistory.validator.decided import decision_of, stored
from byhistory.validator.guarded import Guarded
from byhistory.validator.learnable import is_learned_from
from byhistory.validator.learning import learn_all
from byhistory.validator.programs import applied, current, programs


@dataclass(frozen=True, slots=True)
class Moved:
    """A limit of the next run that would change, in words; empty where there is none."""

    column: str
    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a decision would do: how many `runs` would be learned from, which limits move, and its alarms after it."""

    what: str
    runs: int
    moved: tuple[Moved, ...]
    alarms: tuple[Alarm, ...]
    columns: tuple[str, ...] = ()


class _Supposed:
    """A store with one more decision. It is a class because it stands in for an open store."""

    def __init__(self, store: Store, decision: Decision) -> None:
        self._store, self._decision = store, decision

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def decisions(self, table: str) -> list[Decision]:
        made = self._store.decisions(table)
        return [*made, self._decision] if table == self._decision.table else made

    def runs(self, table: str, last: int | None = None) -> list[RunLine]:
        lines = [replace(line, decision=None) for line in self._store.runs(table, last)]
        return with_decisions(lines, self.decisions(table))


def preview(of: Guarded, run: str, what: str, *, columns: Sequence[str] = (), until: str = "") -> Preview:
    """What a decision would change; an error if it is not clear what is meant, as when it is made."""
    decision, _ = decision_of(of, run, what, columns=columns, until=until)
    after = replace(of, store=cast(Store, _Supposed(of.store, decision)))
    memory = after.memory()
    known = stored(of)
    learned = learn_all(memory.closed(), of.config, known, metrics=of.metrics, learner=of.learner)
    moved = _moved(programs(of), applied(of, learned, memory), {m.name: m for m in of.metrics})
    lines = after.lines()
    alarms = tuple(a for a in memory.alarms if run in a.runs)
    return Preview(what, sum(map(is_learned_from, lines)), tuple(moved), alarms, decision.columns)


def preview_mute(of: Guarded, column: str, metric: str) -> Preview:
    """What would change if a column were judged without a metric: the limits of the next run that go."""
    memory = of.memory()
    known = current(of, memory)
    before = applied(of, known, memory)
    after = {name: overridden(p, [Override(column, metric, mute=True)]) for name, p in before.items()}
    moved = _moved(before, after, {m.name: m for m in of.metrics})
    return Preview("mute", sum(map(is_learned_from, of.lines())), tuple(moved), (), (column,))


def _moved(before: Mapping[str, Program], after: Mapping[str, Program], metrics: Mapping[str, Metric]) -> list[Moved]:
    found: list[Moved] = []
    for column in dict.fromkeys((*before, *after)):
        was, now = _limits(before.get(column), metrics), _limits(after.get(column), metrics)
        found += [
            Moved(column, what, was.get(what, ""), now.get(what, ""))
            for what in dict.fromkeys((*was, *now))
            if was.get(what) != now.get(what)
        ]
    return found


def _limits(program: Program | None, metrics: Mapping[str, Metric]) -> dict[str, str]:
    """The limits of a program in words, by what they are about."""
    if program is None:
        return {}
    own = {_title(c, metrics): must(c, metrics.get(c.metric), program.kind) for c in program.clauses}
    own.pop("", None)
    if program.model is not None:
        judged = (m for m in LOOKED_AT_FIRST[program.kind] if m in program.model.metrics and m in metrics)
        first = next(judged, None)
        expected = program.model.expected(first) if first is not None else None
        if first is not None and expected is not None:
            metric = metrics[first]
            ends = whole_within(max(expected.low, metric.low), min(expected.high, metric.high), metric)
            usual = " – ".join(dict.fromkeys(amount(end, metric, program.kind) for end in ends))
            own.setdefault(metric.title, usual)
    return own


def _title(clause: Constraint, metrics: Mapping[str, Metric]) -> str:
    metric = metrics.get(clause.metric)
    return "" if clause.metric == JOINT else clause.metric if metric is None else metric.title
