"""Whole runs of tables: a column that stands out is found, whatever the units of the scores are."""

from types import SimpleNamespace

import numpy as np
from bench.by_table import ROWS, WAYS, by_table
from bench.judge import GOOD, INCIDENT, Scores
from bench.score import resamples
from bench.summary import Cases
from tests.strategies import seeded

COLUMNS, RUNS = 6, 40


def cases(runs: np.ndarray, columns: np.ndarray, type_: str) -> Cases:
    count = len(runs)
    none = np.zeros(count, np.int64)
    names = np.array([f"fault {i // COLUMNS}" for i in range(count)], object)
    return Cases(none, columns, none, none, runs, none.astype(object), names, np.array([type_] * count, object))


def scores_far(far: float, scale: float = 1.0) -> tuple[Scores, SimpleNamespace]:
    random = seeded(7)
    column, run = np.tile(np.arange(COLUMNS), RUNS), np.repeat(np.arange(RUNS), COLUMNS)
    of_one = np.arange(COLUMNS)
    sets = {
        GOOD: cases(run, column, ""),
        "seen": cases(np.full(COLUMNS, 3), of_one, "unit change"),
        "unseen": cases(np.full(COLUMNS, 3), of_one, "rows missing"),
        "real": cases(np.full(COLUMNS, 3), of_one, "another column"),
        INCIDENT: cases(np.full(COLUMNS, 3), of_one, "named"),
    }
    scores = {name: np.full(COLUMNS, far) for name in sets}
    scores[GOOD] = random.exponential(1.0, len(run))
    return Scores({name: scale * s for name, s in scores.items()}), SimpleNamespace(sets=sets)


def recall(far: float, scale: float = 1.0) -> dict:
    judged, layout = scores_far(far, scale)
    return by_table(judged, layout, frozenset({"rows missing"}), resamples(1, 5, 0))


def test_faults_far_beyond_all_good_runs_are_caught_and_usual_ones_are_not() -> None:
    assert recall(50.0)["seen"]["0.05"]["share"] == 1.0
    assert recall(0.0)["seen"]["0.05"]["share"] == 0.0


def test_the_unit_of_a_score_does_not_matter() -> None:
    assert recall(4.0) == recall(4.0, scale=1000.0)


def test_a_fault_of_whole_rows_is_one_case_and_one_way_of_joining_is_chosen() -> None:
    found = recall(50.0)
    assert found[f"{ROWS}, unseen"]["0.05"]["n"] == 1
    assert found["seen"]["0.05"]["n"] == COLUMNS
    assert found["way"] in WAYS
