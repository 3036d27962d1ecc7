"""What was learned about a table, for other tools to check."""

from __future__ import annotations

from byhistory.constraints import Constraint
from byhistory.constraints.always import METRICS, always_clauses
from byhistory.errors import ByHistoryError
from byhistory.export import Learned, LearnedColumn
from byhistory.learners import Program
from byhistory.metrics import by_name
from byhistory.validator.guarded import Guarded
from byhistory.validator.memory import Memory
from byhistory.validator.programs import programs


def learned_of(of: Guarded, where: str = "") -> Learned:
    """The programs of a table with the user's overrides, and the past values that they compare with."""
    memory, found = of.memory(), programs(of)
    if not memory.runs or not found:
        todo = "backfill its past runs, or check some runs of it first"
        raise ByHistoryError(f"export {of.table!r}", "nothing learned of it", todo)
    columns, known = [], {metric.name: metric for metric in of.metrics}
    for name, program in found.items():
        lagged = [known[c.metric] for c in program.clauses if c.transform.lag and c.metric in known]
        series = memory.with_gaps(memory.series(name, lagged)) if lagged else ()
        past = {metric.name: row for metric, row in zip(lagged, series, strict=True)}
        kind = memory.measures[-1].types.get(name, "")
        columns.append(LearnedColumn(name, kind, program, past, _always(of, memory, program)))
    return Learned(of.table, memory.runs[-1].run, tuple(columns), where)


def _always(of: Guarded, memory: Memory, program: Program) -> tuple[Constraint, ...]:
    """The clauses that stop a run at every budget, for a next run with as many rows as the last."""
    metrics = [m for name in METRICS if program.kind in (m := by_name(name)).kinds]
    series = dict(zip((m.name for m in metrics), memory.series(program.column, metrics), strict=True))
    rows = memory.runs[-1].rows
    present = series["complete_ratio"][-1] * rows
    return always_clauses(series, rows, present, of.config.always_off)
