"""Methods that are broken on purpose, and cases to find out on: far away or where the good runs are."""

from __future__ import annotations

import numpy as np
from bench import methods
from bench.cases.cases import Bad, ColumnCases
from bench.judge import BAD
from bench.methods.base import Method

from byhistory.profile import Kind


def columns_of(sources: int = 12, each: int = 4) -> list[ColumnCases]:
    """Columns of noise, each with bad runs that are far away, near, and where the good ones are."""
    random = np.random.default_rng(11)  # noqa: TID251 - a fixed seed: the cases are the same every time
    metrics = ("row_count", "mean", "complete_ratio")
    found = []
    for i in range(sources * each):
        series = random.normal(100, 1, (len(metrics), 60))
        bad = {name: Bad(("far",) * 10, ("shift",) * 10, random.normal(150, 1, (10, len(metrics)))) for name in BAD}
        incident = Bad(("2026-02-10 nulls (high)",), ("named" if i % 2 else "beside",), series[:, 45:46].T + 50)
        found.append(
            ColumnCases(
                table=f"source{i // each}__table",
                column=f"c{i}",
                source=f"source{i // each}",
                domain="odd" if i // each % 2 else "even",
                kind=Kind.NUMERIC if i % 2 else Kind.CATEGORICAL,
                cadence="daily",
                metrics=metrics,
                labels=tuple(str(np.datetime64("2026-01-01") + np.timedelta64(d, "D")) for d in range(60)),
                series=series,
                windows=tuple(range(30, 60)),
                recall_at=30,
                bad=bad | {"incident": incident},
                incidents_at=(45,),
            )
        )
    return found


COLUMNS = columns_of()
always, never, at_random = (m.score for m in (methods.always.METHOD, methods.never.METHOD, methods.random_score.METHOD))
peeking = methods.peeks.knowing(column.series[:, list(column.windows)].T for column in COLUMNS).score


def looking_back(past, now):
    """It looks for the run in its past, where it must not be."""
    return np.array([float(line.tobytes() not in {p.tobytes() for p in past.series.T}) for line in now])


def failing(past, now):
    raise ZeroDivisionError("no spread")


def with_budget(name, score, group="broken on purpose"):
    """One that also promises a budget: it alarms where its score is above 1 − budget."""

    def alarms(past, now, budgets):
        return score(past, now)[:, None] > 1.0 - np.array(budgets)

    return Method(name, name, group, score, alarms=alarms)


BROKEN = [
    with_budget("always", always),
    with_budget("never", never),
    with_budget("at_random", at_random),
    with_budget("peeking", peeking, "byhistory"),
    with_budget("looking_back", looking_back),
    with_budget("failing", failing),
]
