"""A label of which the place is not certain is told, wherever in the life of a table it comes."""

import numpy as np

from byhistory.config import Config
from byhistory.rows.local import profile_table
from byhistory.validator import Validator


def batch(run):
    return profile_table({"n": np.arange(40.0)}, run=run)


def test_the_first_doubtful_label_among_certain_ones_is_warned_about_once():
    with Validator("memory:", config=Config()) as guard:
        guard.remember([batch(f"2026-{day:02}-09") for day in range(1, 10)], "orders")
        told = [
            [f.sentence for f in guard.judge(batch(run), "orders").findings] for run in ("2026-13-09", "2026-14-09")
        ]
    sentence = "its place among the runs is not certain: its label has what looks like a date, and is none"
    assert told[0].count(sentence) == 1
    assert sentence not in told[1]
