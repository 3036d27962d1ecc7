"""What would the verdict on a run be if its data came again?"""

from __future__ import annotations

from byhistory.alarms import ROWS, with_alarms
from byhistory.errors import ByHistoryError
from byhistory.metrics import Measures
from byhistory.profile import TableProfile, from_bytes
from byhistory.validator.guarded import Guarded
from byhistory.validator.ledger import policy_of
from byhistory.validator.programs import programs
from byhistory.verdict import Verdict, check


def verdict_if_repeated(of: Guarded, run: str) -> Verdict:
    """The verdict on a kept run as the next one, by what is learned now, and as its alarms stand; nothing is recorded.

    Its distances are those to the run that it came after: the same data right behind itself would be too much alike.
    Only what an alarm was about is judged, if there was one: yesterday's rows are odd on another day of the week, and
    what many columns share would be taken off what this one did.
    """
    packed = of.store.measures(of.table, [run])
    if run not in packed:
        raise ByHistoryError(
            f"judge the run {run!r} of {of.table!r} again", "no such run", "name one that `runs` lists"
        )
    memory = of.memory()
    about = {column for alarm in memory.alarms if run in alarm.runs for column in alarm.columns}
    (kept,) = of.store.load(of.table, [run])
    now = TableProfile(run, kept.rows, {name: from_bytes(data) for name, data in kept.columns.items()})
    verdict = check(
        now,
        {
            name: p
            for name, p in programs(of).items()
            if not about or name in about or (p.carries_rows and ROWS in about)
        },
        memory.past(of.config.wants),
        metrics=of.metrics,
        faults=(),
        learners=of.learners,
        table=of.table,
        always_off=of.config.always_off,
        measures=Measures.from_bytes(packed[run]),
    )
    return with_alarms(verdict, memory.alarms, policy=policy_of(of.config))
