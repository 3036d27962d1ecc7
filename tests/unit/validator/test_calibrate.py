"""Prices from one's own past: enough or not, what is written, and what is judged by it."""

import json
from dataclasses import replace

import pytest
from tests.strategies import seeded
from typer.testing import CliRunner

from byhistory.cli import app
from byhistory.config import parse_config
from byhistory.errors import ByHistoryError
from byhistory.learners.calibrated import CALIBRATED
from byhistory.learners.calibrated.prices import from_json, prices_at, shipped, to_json
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

TABLES, RUNS, BUDGET = 10, 12, 0.1

pytestmark = pytest.mark.xdist_group("prices of one's own")  # what they share is made once, and takes seconds


def runs(table, count=RUNS):
    """Days of a table with two numeric columns and one of names."""
    for i in range(count):
        random = seeded(1000 * table + i)
        numbers = {name: random.normal(10, 2, 40) for name in ("a", "b")}
        yield profile_table({**numbers, "s": random.choice(["x", "y", "z"], 40)}, run=f"{i:02}")


def filled(url, tables=TABLES):
    with Validator(url, config=parse_config("")) as guard:
        for t in range(tables):
            guard.remember(runs(t), f"t{t}")


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('store') / 'h.db'}"
    filled(url)
    return url


def test_enough_runs_of_enough_tables_give_prices_of_their_own(url):
    with Validator(url, config=parse_config("")) as guard:
        found = guard.learning.calibrate(budget=BUDGET)
    families = {(f.kind, f.history): f for f in found.families}
    assert set(families) == {("numeric", 7), ("categorical", 7)}, "only so long a past is there"
    numeric, names = families["numeric", 7], families["categorical", 7]
    assert (numeric.tables, numeric.shipped.judged) == (TABLES, TABLES * 2 * (RUNS - 7))
    assert numeric.own is not None
    assert numeric.own.judged == numeric.shipped.judged
    assert names.own is None, "half as many are not enough"
    assert found.prices is not None
    prices = from_json(found.prices)
    assert prices.limits["numeric", 7] != shipped().limits["numeric", 7]
    assert prices.limits["categorical", 7] == shipped().limits["categorical", 7]
    assert prices.histories == shipped().histories


def test_programs_are_learned_by_the_prices_of_the_file_and_again_when_it_changes(url, tmp_path):
    own = tmp_path / "prices.json"
    with Validator(url, config=parse_config("")) as guard:
        before = guard.learning.programs("t0")["a"]
        own.write_text(guard.learning.calibrate(budget=BUDGET).prices, encoding="utf-8")
    with Validator(url, config=parse_config(f"prices = '{own}'")) as guard:
        guard.learning.relearn("t0")
        after = guard.learning.programs("t0")["a"]
    assert before.model.prices == shipped().name
    assert after.model.prices == prices_at(str(own)).name
    assert before.model.limits != after.model.limits


def test_a_learner_made_from_ours_takes_prices_and_paper_refuses_them(url, tmp_path):
    own = tmp_path / "prices.json"
    own.write_text(to_json(shipped()), encoding="utf-8")
    text = f"learner = 'cautious'\nprices = '{own}'"
    cautious = replace(CALIBRATED, name="cautious", safety=0.5)
    with Validator("memory:", config=parse_config(text), learners=[cautious]) as guard:
        guard.remember(runs(0), "t0")
        assert guard.learning.programs("t0")["a"].model.prices == prices_at(str(own)).name
    paper = Validator("memory:", config=parse_config(text.replace("cautious", "paper")))
    with paper, pytest.raises(ByHistoryError, match=r"leave the prices out, or name .calibrated."):
        paper.remember(runs(0), "t0")


def test_a_stopped_run_that_nobody_decided_on_is_told():
    with Validator("memory:", config=parse_config("budget = 0.2")) as guard:
        guard.remember(runs(0), "t0")
        bad = profile_table({"a": [1e6] * 3, "b": [1e6] * 3, "s": ["?"] * 3}, run="50")
        assert not guard.judge(bad, "t0").ok
        assert guard.learning.calibrate().undecided == 1
        guard.decisions.reject("t0", "50")
        assert guard.learning.calibrate().undecided == 0


def cli(url, *arguments):
    return CliRunner().invoke(app(), ["calibrate", "--store", url, *arguments])


def test_the_command_writes_the_file_and_says_what_to_do_with_it(url, tmp_path):
    out = tmp_path / "own.json"
    done = cli(url, "-o", str(out), "--budget", str(BUDGET))
    assert done.exit_code == 0, done.output
    assert "not enough" in done.output
    assert "into byhistory.toml" in done.output
    assert prices_at(str(out)).made["tables"] == TABLES
    told = json.loads(cli(url, "-o", str(out), "--budget", str(BUDGET), "--json").stdout)
    assert told["byhistory_calibrate"] == 1
    assert told["prices"] == str(out)
    assert {f["kind"] for f in told["families"]} == {"numeric", "categorical"}


def test_too_little_is_said_and_nothing_is_written(url, tmp_path):
    out = tmp_path / "own.json"
    done = cli(url, "t1", "t2", "-o", str(out))
    assert done.exit_code == 3
    assert "not enough history for prices of your own" in done.output
    assert "the shipped prices stay in use" in done.output
    assert not out.exists()


def test_a_table_or_file_that_is_not_there_is_a_clear_error(url, tmp_path):
    missing = cli(url, "nobody")
    assert (missing.exit_code, "nobody" in missing.output) == (2, True)
    with pytest.raises(ByHistoryError, match="byhistory calibrate"):
        prices_at(str(tmp_path / "none.json"))
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    with pytest.raises(ByHistoryError, match="holds none"):
        prices_at(str(other))
