"""What would the verdict on a run be if its data came again?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from byhistory.alarms import ROWS, with_alarms
from byhistory.errors import ByHistoryError
from byhistory.learners import Program
from byhistory.metrics import Measures, Metric
from byhistory.profile import TableProfile, from_bytes
from byhistory.validator.guarded import Guarded
from byhistory.validator.learning import learn_all
from byhistory.validator.ledger import policy_of
from byhistory.validator.memory import Memory
from byhistory.validator.programs import applied, programs
from byhistory.validator.returned import Judgement, or_by_other_level
from byhistory.verdict import Verdict, check


def verdict_if_repeated(of: Guarded, run: str) -> Verdict:
    """The verdict on a kept run as the next one, by what is learned now, and as its alarms stand; nothing is recorded.

    Its distances are those to the run that it came after: the same data right behind itself would be too much alike. A
    column that began a new level in it has none, as it would not come after the old one again.
    Only what an alarm was about is judged, if there was one: yesterday's rows are odd on another day of the week, and
    what many columns share would be taken off what this one did.
    """
    packed = of.store.measures(of.table, [run])
    if run not in packed:
        raise ByHistoryError(
            f"judge the run {run!r} of {of.table!r} again", "no such run", "name one that `runs` lists"
        )
    memory, measures = of.memory(), Measures.from_bytes(packed[run])
    about = {column for alarm in memory.alarms if run in alarm.runs for column in alarm.columns}
    (kept,) = of.store.load(of.table, [run])
    now = TableProfile(run, kept.rows, {name: from_bytes(data) for name, data in kept.columns.items()})

    def judged(memory: Memory, used: Mapping[str, Program], measures: Measures) -> Judgement:
        past = memory.past(of.config.wants)
        asked = {n: p for n, p in used.items() if not about or n in about or (p.carries_rows and ROWS in about)}
        verdict = check(
            now,
            asked,
            past,
            metrics=of.metrics,
            faults=(),
            learners=of.learners,
            table=of.table,
            always_off=of.config.always_off,
            measures=measures,
        )
        return Judgement(verdict, memory, past, used, measures)

    def by_other_level(columns: Collection[str]) -> Judgement:
        other = of.memory(returned=columns)
        known = learn_all(other, of.config, first.programs, only=columns, metrics=of.metrics, learner=of.learner)
        # At no distance from anything: it would be compared with itself.
        alone = measures.compared_anew(now, {}, of.metrics)
        return judged(other, {**first.programs, **applied(of, known, other)}, alone)

    first = judged(memory, programs(of), _without_old_distances(measures, now, memory, of.metrics))
    found = or_by_other_level(first, memory.alarms, by_other_level)
    return with_alarms(found.verdict, memory.alarms, policy=policy_of(of.config))


def _without_old_distances(
    measures: Measures, now: TableProfile, memory: Memory, metrics: Sequence[Metric]
) -> Measures:
    levels = {name for name in now if any(now.run in level for level in memory.lessons.levels_of(name))}
    if not levels:
        return measures
    alone = measures.compared_anew(now, {}, metrics)
    rows = [(alone if name in levels else measures).of_column(name, alone.metrics) for name in now]
    return replace(alone, values=np.array(rows))
