"""Values that are written in another way: what patterns blur, formats tell, at the default budgets."""

from dataclasses import replace

import numpy as np
import pytest

import byhistory as bh
from byhistory.learners.overrides import Override, overridden
from byhistory.profile import TableProfile
from byhistory.rows.local import profile_table

DAYS, ROWS = 30, 600
NAMES = np.array(["iPhone", "iPad", "MacBook", "AirPods", "HomePod"])


def _run(day: int, write=lambda _, values: values) -> TableProfile:
    """A table whose text does not repeat itself, and is always written alike."""
    random = np.random.default_rng(day)  # noqa: TID251 - a test names its seed
    n = ROWS + int(random.integers(-40, 40))
    columns = {
        "day": [str(d) for d in np.datetime64("2023-01-01") + day + random.integers(0, 60, n)],
        "key": [f"AB-{k}" for k in random.integers(10_000, 99_999, n)],
        "product": [
            f"{name} {size}" for name, size in zip(random.choice(NAMES, n), random.integers(1, 90, n), strict=True)
        ],
        "amount": random.gamma(4.0, 10.0, n),
    }
    return profile_table({c: write(c, v) for c, v in columns.items()}, run=f"{day:03}")


PAST = [_run(day) for day in range(DAYS)]


def _one_in(n, write):
    return lambda values: [write(v) if i % n == 0 else v for i, v in enumerate(values)]


CHANGES = {
    "dates day first": ("day", 1, lambda v: "/".join(reversed(v.split("-")))),
    "dates day first, the same sign": ("day", 1, lambda v: "-".join(reversed(v.split("-")))),
    "one date in three": ("day", 3, lambda v: v.replace("-", "/")),
    "another separator": ("key", 1, lambda v: v.replace("-", "_")),
    "one key in three": ("key", 3, lambda v: v.replace("-", "_")),
    "keys in small letters": ("key", 1, str.lower),
    "names in capitals": ("product", 1, str.upper),
    "one name in three in capitals": ("product", 3, str.upper),
}


@pytest.mark.parametrize("name", CHANGES)
def test_values_written_in_another_way_are_told(name: str) -> None:
    column, n, write = CHANGES[name]
    run = _run(DAYS, lambda c, v: _one_in(n, write)(v) if c == column else v)
    verdict = bh.check(run, bh.learn(PAST), PAST)
    assert verdict.level == "stop" if n == 1 else verdict.level != "as usual", verdict
    assert {f.column for f in verdict.findings} == {column}


def test_the_next_run_written_as_ever_is_as_usual() -> None:
    assert bh.check(_run(DAYS), bh.learn(PAST), PAST).level == "as usual"


def _of_an_older_release(run: TableProfile) -> TableProfile:
    return replace(run, columns={name: replace(run[name], formats=None) for name in run})


@pytest.mark.parametrize("new", [0, 1, 2, 4, 13, 14, 20])
def test_runs_of_an_older_release_have_no_formats_and_alarm_about_none(new: int) -> None:
    past = [*map(_of_an_older_release, PAST[: DAYS - new]), *PAST[DAYS - new :]]
    programs = bh.learn(past)
    assert bh.check(_run(DAYS), programs, past).level == "as usual"
    # The first distance is between the first run with formats and that before it, so there is one less.
    said = [note for note in programs["key"].notes if "format" in note]
    assert bool(said) == (new - 1 < 14)
    assert all("never defined" in note or "judged from 14 on" in note for note in said)


def test_a_run_of_an_older_release_can_be_judged_by_newer_ones() -> None:
    assert bh.check(_of_an_older_release(_run(DAYS)), bh.learn(PAST), PAST).level == "as usual"


def test_a_sum_with_a_part_of_an_older_release_has_no_formats() -> None:
    ours, theirs = PAST[0]["key"], replace(PAST[1]["key"], formats=None)
    assert (ours + theirs).formats is None
    assert (ours + replace(theirs, rows=theirs.nulls, text=None)).formats is not None


def test_a_threshold_that_stops_is_not_hidden_by_the_rule_that_warns() -> None:
    run = _run(DAYS, lambda c, v: _one_in(3, str.lower)(v) if c == "key" else v)
    programs = dict(bh.learn(PAST))
    programs["key"] = overridden(programs["key"], [Override("key", "new_format_ratio", high=0.1)])
    assert bh.check(run, programs, PAST).level == "stop"


def test_a_column_that_is_often_without_values_is_judged_by_its_distances_all_the_same() -> None:
    def sparse(day: int) -> TableProfile:
        has_values = day in (0, 9, 10, 14, 15, 24, 25)
        return _run(day, lambda c, v: v if c != "key" or has_values else [None] * len(v))

    model = bh.learn([sparse(day) for day in range(DAYS)])["key"].model
    assert model.known[model.metrics.index("js_div")]
