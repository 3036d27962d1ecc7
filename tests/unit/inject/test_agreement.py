"""How far the response estimated from a sample is from the response of all rows: the numbers that the docs state."""

import math

import numpy as np
import pyarrow as pa
import pytest
from scripts.faults_page import AGREEMENT

from byhistory.inject import of_kind, responses
from byhistory.metrics import measure
from byhistory.metrics import of_kind as metrics_of
from byhistory.rows.field import Field, Options
from byhistory.rows.local import profile_table

ROWS, RUNS = 60_000, 7
OPTIONS = Options(key=b"a key")
WORDS = np.array(["lorem", "ipsum", "dolor", "sit", "Amet", "consectetur", "elit", "sed", "Do", "eiusmod"])


def table(run: int) -> pa.Table:
    g = np.random.default_rng(run)  # noqa: TID251 - named by the run
    first, count, number = g.integers(0, 10, ROWS), g.integers(1, 6, ROWS), g.integers(0, 1000, ROWS)
    return pa.table(
        {
            "normal": g.normal(100, 15, ROWS),
            "rounded": g.normal(60, 5, ROWS).round(1),
            "price": g.lognormal(3, 1, ROWS).round(2),
            "poisson": g.poisson(20, ROWS),
            "ids": np.arange(ROWS) + 10**6 + run * ROWS,
            "same_ids": g.permutation(ROWS) + 10**6,
            "codes": g.integers(0, 5000, ROWS),
            "zeros": np.where(g.random(ROWS) < 0.7, 0, g.exponential(5, ROWS)).round(3),
            "categories": g.choice(["red", "green", "blue", "violet"], ROWS, p=[0.5, 0.3, 0.15, 0.05]),
            "zipf": np.char.add("k", np.minimum(g.zipf(1.5, ROWS), 20_000).astype(str)),
            "articles": np.char.add("SKU-", g.integers(0, 10**6, ROWS).astype(str)),
            "flag": g.random(ROWS) < 0.3,
            "text": [f"{' '.join(WORDS[i : i + k])}{n}" for i, k, n in zip(first, count, number, strict=True)],
            "when": pa.array(g.integers(0, 86_400, ROWS) + 1_700_000_000 + run * 86_400).cast(pa.timestamp("s")),
            "day": pa.array((g.integers(0, 365, ROWS) + 19_000 + run).astype(np.int32)).cast(pa.date32()),
        }
    )


def scores() -> dict[str, list[tuple[float, bool]]]:
    """For each metric: error, and whether it is seen differently in truth, for each column and fault."""
    runs = [profile_table(table(run), options=OPTIONS) for run in range(RUNS)]
    everything = table(RUNS)
    now = profile_table(everything, options=OPTIONS)
    found: dict[str, list[tuple[float, bool]]] = {}
    for name in everything.column_names:
        metrics = metrics_of(now[name].kind, discrete=now[name].distinct <= 512)
        past = measure([*(run[name] for run in runs), now[name]], metrics)
        usual, today = np.std(past[:, 1:-1], axis=1), past[:, -1]
        if name in {"ids", "when", "day"}:  # they move by a step every run
            usual = np.std(np.diff(past[:, 1:-1], axis=1), axis=1)
        field = Field(name, now[name].kind, "")
        given = {"field": field, "options": OPTIONS, "faults": of_kind(field.kind)}
        true = responses(everything, name, now[name], runs[-1][name], metrics, seed=1, **given)
        guess = responses(now.sample, name, now[name], runs[-1][name], metrics, seed=2, **given)
        assert true.faults == guess.faults
        for fault in range(len(true.faults)):
            for m, metric in enumerate(metrics):
                pair = true.values[fault, m], guess.values[fault, m]
                found.setdefault(metric.name, []).append(score(*pair, today[m], usual[m]))
    return found


def score(true: float, guess: float, today: float, usual: float) -> tuple[float, bool]:
    if true == guess or (math.isnan(true) and math.isnan(guess)):
        return 0.0, False
    if not (math.isfinite(true) and math.isfinite(guess)):
        return math.inf, True
    tiny = 1e-9 * max(abs(true), abs(today), 1.0)
    error = abs(guess - true) / max(abs(true - today), 3 * usual, tiny)
    return error, (abs(true - today) > 4 * usual + tiny) != (abs(guess - today) > 4 * usual + tiny)


@pytest.mark.slow
def test_a_sample_answers_for_all_rows_as_well_as_the_docs_say():
    found = scores()
    assert set(found) == {metric for family in AGREEMENT for metric in family.metrics} & set(found)
    lines = []
    for family in AGREEMENT:
        errors, differently = map(np.array, zip(*(s for m in family.metrics for s in found.get(m, [])), strict=True))
        measured = np.median(errors), np.quantile(errors, 0.95), differently.mean()
        stated = family.median, family.most, family.differently
        lines.append(
            (
                family.name,
                *(float(round(x, 3)) for x in measured),
                all(a <= b for a, b in zip(measured, stated, strict=True)),
            )
        )
    assert all(line[-1] for line in lines), "\n".join(map(str, lines))
