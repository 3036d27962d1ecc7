"""The commands that need no Spark, on a history of a few profiles."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scripts.cli_page import page
from tests.shell import byhistory as run

import byhistory.cli
from byhistory import Validator, __version__
from byhistory.cli import COMMANDS, app
from byhistory.cli._say import safe
from byhistory.config import KINDS, Config
from byhistory.constraints import Constraint, Outcome
from byhistory.profile import Kind
from byhistory.report.answers.verdict import last_line
from byhistory.report.columns import bar, table
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Judged, Learning
from byhistory.verdict import ColumnVerdict, Past, Verdict

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Twelve days of a small table, the last of them judged unusual."""
    file = tmp_path_factory.mktemp("history") / "h.db"
    random = np.random.default_rng(7)  # noqa: TID251 - the seed of these rows
    with Validator(f"sqlite:///{file}", config=Config()) as guard:
        options = Options(guard.store.key())

        def day(number: int, factor: float) -> object:
            rows = {"amount": factor * random.normal(50, 5, 300), "state": random.choice(["WA", "OR"], 300).tolist()}
            return profile_table(rows, run=f"2026-11-{number:02}", options=options)

        guard.remember([day(number, 1.0) for number in range(1, 12)], "orders")
        assert not guard.judge(day(12, 100.0), "orders").ok
    return file


@pytest.fixture
def store(filled, tmp_path):
    shutil.copy(filled, tmp_path / "h.db")
    return ("--store", f"sqlite:///{tmp_path}/h.db")


def test_every_command_is_a_file_and_every_file_a_command():
    files = {file.stem for file in Path(byhistory.cli.__file__).parent.glob("*.py") if not file.stem.startswith("_")}
    assert files == set(COMMANDS)


def test_answers_are_worded_in_report():
    # The demo is a play with a text of its own; help, errors and progress belong to the command.
    own = [
        f"{file.name}:{call.lineno}"
        for file in sorted(Path(byhistory.cli.__file__).parent.glob("*.py"))
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if file.name != "demo.py" and isinstance(call, ast.Call) and ast.unparse(call.func) == "say"
        for part in call.args
        if isinstance(part, ast.Constant) or any(isinstance(inner, ast.JoinedStr) for inner in ast.walk(part))
    ]
    assert not own


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_a_command_does_with_examples(command):
    answer = run(command, "--help")
    assert answer.code == 0
    assert f"Usage: byhistory {command}" in answer.out
    assert f"  byhistory {command} " in answer.out.partition("Examples:")[2] + " "


def test_the_reference_page_is_current():
    assert (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8") == page(), (
        "run python -m scripts.cli_page > docs/reference/cli.md"
    )


def test_version():
    assert run("--version").out == f"{__version__}\n"


def test_runs_say_what_happened_and_what_was_decided(store):
    answer = run("runs", "orders", *store)
    assert answer.code == 0
    assert "2026-11-12 *" in answer.out
    (bad,) = (line for line in answer.out.splitlines() if line.startswith("2026-11-12"))
    assert "amount" in bad
    assert answer.last == "orders: 12 runs, 11 of them learned from"
    assert run("accept", "orders", "2026-11-12", "--why", "sale", "--who", "ann", *store).code == 0
    told = json.loads(run("runs", "orders", "--json", *store).out)
    assert told["byhistory_runs"] == 1
    decision = told["runs"][-1]["decision"]
    assert (decision["what"], decision["who"], decision["why"]) == ("accept", "ann", "sale")
    assert not told["runs"][-1]["learned_from"], "what is forgiven widens nothing"
    assert run("reject", "orders", "2026-11-12", *store).last.endswith("learned again from 11 runs")


def test_the_inbox_counts_what_is_left_after_an_answer_that_was_about_more_than_its_line(store):
    with Validator(store[1], config=Config()) as guard:
        rows = {"amount": [5000.0] * 300, "state": pa.nulls(300, pa.string())}
        assert len(guard.judge_table(rows, "orders", "2026-11-13").causes) == 2
    assert run("inbox", *store).last == "inbox: 2 alarms in 1 table"
    answer = run("inbox", "--reject", "2", *store)
    left = run("inbox", *store)
    assert answer.last == "answered: 1 alarm; 0 alarms left"
    assert left.last == "inbox: nothing waits for an answer"


def test_a_new_normal_names_the_columns_that_have_a_new_level(store):
    answer = run("accept", "orders", "2026-11-12", "--new-normal", *store)
    assert "about: amount" in answer.out
    assert "judged from the next run on" in answer.out
    assert "from now on: the same again passes now; the level is known from 1 run, and more exactly by the next 6" in (
        answer.out
    )


def test_an_answer_says_how_long_anything_is_judged_more_weakly(store):
    usual = run("accept", "orders", "2026-11-12", "--usual", *store).out
    assert "passes now; what is as usual, or as in that run, passes until 60 more runs have come" in usual
    rejected = run("reject", "orders", "2026-11-12", *store).out
    assert "the same data, delivered again for it, stop" in rejected
    assert "the same again is still stopped (amount); nothing is judged more weakly" in rejected
    snoozed = run("snooze", "orders", "2026-11-12", "--until", "2026-11-20", *store).out
    assert "it stops nothing until 2026-11-20" in snoozed


def test_programs_in_words_and_as_json(store):
    answer = run("explain", "orders", *store)
    assert "amount (numeric, measure): " in answer.out
    assert "rows of the table: " in answer.out
    assert answer.last.startswith("orders: ")
    assert answer.last.endswith("of good runs, and stop or warn about at most 5 %")
    assert len(answer.out.splitlines()) <= 4  # the rows, two columns and what all of it costs
    assert "  - row_count" in run("explain", "orders", "--full", *store).out
    told = json.loads(run("explain", "orders", "amount", "--json", *store).out)
    assert list(told["columns"]) == ["amount"]
    assert told["columns"]["amount"]["byhistory_program"] == 1


def metrics_of(store, column="amount"):
    told = json.loads(run("explain", "orders", column, "--json", *store).out)["columns"][column]
    return {clause["metric"]: clause for clause in told["clauses"]}


def test_a_table_has_a_budget_of_its_own_until_it_is_unset(store):
    assert "stopped 1 % of the time" in run("budget", "orders", *store).last
    told = run("budget", "orders", "0.02", "--warn", "0.2", *store).last
    assert told.startswith("budget: orders, a good run is stopped 2 % of the time at most")
    assert "20 % (by command)" in told
    assert "2 %" in run("budget", "orders", *store).last
    small = run("budget", "orders", "0.001", *store).out.splitlines()
    assert "below 1 % of a table nothing is promised" in small[-3]
    assert "byhistory backtest orders" in small[-2]
    assert small[-1].startswith("budget: orders")
    assert "between 0 and 1" in run("budget", "orders", "1.5", *store).err
    assert "one of the two" in run("budget", "orders", "0.1", "--unset", *store).err
    assert "stopped 1 % of the time" in run("budget", "orders", "--unset", *store).last


def test_what_is_muted_pinned_or_set_can_be_unset(store):
    metric = next(iter(metrics_of(store)))
    assert run("mute", "orders", "amount", metric, *store).last == f"muted: orders, amount.{metric}"
    assert metric not in metrics_of(store)
    assert f"muted: amount.{metric}" in run("explain", "orders", *store).out
    assert run("unset", "orders", "amount", metric, *store).code == 0
    assert run("pin", "orders", "amount", metric, *store).code == 0
    assert metrics_of(store)[metric]["is_pinned"]
    answer = run("threshold", "orders", "amount", metric, "--low", "1", "--high", "9", *store)
    assert answer.last == f"threshold: orders, amount.{metric} at least 1 and at most 9"
    clause = metrics_of(store)[metric]
    assert (clause["low"], clause["high"]) == (1.0, 9.0)


def test_what_the_file_pins_is_said_and_what_it_cannot_yet_pin_too(store, tmp_path):
    metric = next(iter(metrics_of(store)))
    file = tmp_path / "byhistory.toml"
    file.write_text(f'[tables.orders.columns.amount]\npin = ["{metric}", "sum"]\n')
    config = ("--config", file)
    assert metrics_of((*store, *config))[metric]["is_pinned"]
    answer = run("explain", "orders", "--full", *store, *config)
    assert "; pinned" in answer.out
    assert "not pinned yet, because there is no constraint on it: amount.sum\n" in answer.out
    assert run("unset", "orders", "amount", metric, *store, *config).explains("byhistory.toml says is undone there")


def test_the_past_is_replayed(store):
    answer = run("backtest", "orders", *store)
    assert answer.code == 0
    assert "95 % interval" in answer.out
    told = json.loads(run("backtest", "orders", "--budget", "0.01", "--json", *store).out)
    assert told["budget"] == 0.01
    assert 0 <= told["rate_low"] <= told["rate"] <= told["rate_high"] <= 1


def test_tables_of_the_store(store):
    assert run("tables", *store).out.splitlines()[1].split()[:2] == ["orders", "12"]
    told = json.loads(run("tables", "--json", *store).out)["tables"]
    assert told == [{"table": "orders", "runs": 12, "first": "2026-11-01", "last": "2026-11-12", "outcome": "stop"}]


def test_a_page_about_the_last_run(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = run("report", "orders", *store)
    assert answer.last.startswith("report: orders 2026-11-12, orders.html (")
    assert run("report", "orders", "2026-11-01", "-o", "x.html", *store).code == 0
    assert {"orders.html", "x.html"} <= {file.name for file in tmp_path.iterdir()}
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["runs", "order"], ["list the runs of 'order'", "no run of 'order'", "'orders'"]),
        (["explain", "order"], ["explain 'order'", "'orders'", "name one"]),
        (["explain", "orders", "amuont"], ["'amuont'", "'amount'", "name one"]),
        (["accept", "orders", "2026-12-24"], ["2026-12-24", "2026-11-12", "byhistory runs"]),
        (["reject", "orders", "x"], ["'x'", "2026-11-12"]),
        (["mute", "orders", "amuont", "mean"], ["mute amuont.mean", "did you mean amount?"]),
        (["mute", "orders", "amount", "maen"], ["no metric 'maen'", "did you mean mean"]),
        (["unset", "orders", "amount", "mean"], ["unset amount.mean", "nothing is set", "byhistory.toml"]),
        (["pin", "orders", "amount", "sum"], ["pin 'sum'", "name a metric that it has"]),
        (["pin", "orders", "*", "mean"], ["pin 'mean' of all columns", "name a column"]),
        (["threshold", "orders", "amount", "mean"], ["neither --low nor --high", "give one"]),
        (["threshold", "orders", "amount", "mean", "--low", "2", "--high", "1"], ["--low 2", "not above"]),
        (["threshold", "orders", "amount", "mean", "--low", "inf"], ["--low inf", "give numbers"]),
        (["backtest", "orders", "--budget", "7"], ["--budget 7", "between 0 and 1"]),
        (["report", "orders", "2026-12-24", "-o", "x.html"], ["2026-12-24"]),
        (["report", "orders", "-o", "no/such/folder/x.html"], ["write no/such/folder/x.html", "can be written"]),
        (["threshold", "orders", "amount", "complete_ratio", "--low", "2"], ["at least 2", "0 to 1 is possible"]),
        (["mute", "orders", "amount", "upper_ratio"], ["a column that is numeric", "categorical"]),
        (["check"], ["no table", "--all"]),
        (["check", "orders", "x", "--columns", ","], ["--columns ','", "name one"]),
        (["check", "--all", "orders"], ["check --all", "byhistory.toml"]),
        (["check", "orders", "x", "--json", "--output", "junit"], ["both --json", "one of them"]),
        (["check", "--all"], ["no table in byhistory.toml", "[tables.orders]"]),
        (["runs", "orders", "--master", "local", "--remote", "sc://x"], ["both --master", "give one"]),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(args, words, store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*args, *store).explains(*words)


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("runs", "orders").explains("sqlite:///byhistory.db", "no file or directory", "--store")
    assert not list(tmp_path.iterdir())


def test_no_password_is_ever_shown(monkeypatch):
    url = "postgresql://ann:s3cret@127.0.0.1:1/quality?connect_timeout=1"
    answer = run("tables", "--store", url)
    assert answer.explains("postgresql://ann:***@127.0.0.1:1/quality")
    loud = run("tables", "--store", url, "--verbose")
    assert "s3cret" not in answer.err + loud.err + loud.out


def test_the_configuration_is_read_and_its_mistakes_are_named(tmp_path, store):
    file = tmp_path / "my.toml"
    file.write_text(f'store = "{store[1]}"\n[tables.orders]\nbudget = 0.01\n')
    assert run("runs", "orders", "--config", file).code == 0
    for text, words in {
        "budgt = 0.01": ["'budgt'", "budget"],
        "budget = 'much'": ["budget = 'much'", "a number"],
        "budget = 7": ["budget = 7", "between 0 and 1"],
        "shadow = 'yes'": ["shadow", "true or false"],
        "x = = 1": ["no TOML", "mend"],
        "tables = 3": ["tables = 3", "a table"],
        "[tables.orders]\nexclude = 'a'": ["[tables.orders]", "a list"],
        "[columns.amount]\nmute = 'max'": ["columns.amount", "a list"],
        "[columns.amount]\nkind = 'colour'": ["kind = 'colour'", "numeric, categorical"],
        "[columns.amount]\npin = true": ["columns.amount", "pin = True", "a list of names"],
        "[columns.amount]\npin = ['max', 3]": ["pin = ['max', 3]", "a list of names"],
        "[columns.amount]\npin = ['max']\nmute = ['max']": ["'max' more than once", "one thing"],
        "[columns.amount]\nthresholds = { mean = 3 }": ["mean = 3", "a table"],
        "[columns.amount]\nthresholds = { mean = { lo = 3 } }": ["mean = {'lo': 3}", "low = 1"],
        "[columns.amount]\nthresholds = { mean = { low = '3' } }": ["low = '3'", "a number"],
        "[columns.amount]\nthresholds = { mean = { low = 3, high = 1 } }": ["'high': 1", "low = 1, high = 2"],
        "[tables.orders]\noptions = { header = true }": ["header = True", "text in quotes"],
        "[columns.amount]\nthresholds = { mean = { low = -inf } }": ["'low': -inf", "low = 1"],
        "include = []": ["include = []", "leave it out"],
        "window = 0": ["window = 0", "above 0"],
        "max_clauses = -1": ["max_clauses = -1", "above 0"],
    }.items():
        file.write_text(text)
        assert run("runs", "orders", "--config", file).explains(*words)
    file.write_bytes(b"store = '\xff'")
    assert run("runs", "orders", "--config", file).explains("no UTF-8", "save it")
    file.write_text(f'store = "{store[1]}"\n', encoding="utf-8-sig")
    assert run("runs", "orders", "--config", file).code == 0, "as editors of Windows save it"
    assert run("runs", "orders", "--config", tmp_path / "none.toml").explains("none.toml", "readable file")


def test_the_configuration_knows_the_kinds_of_columns():
    assert set(KINDS) == {kind.value for kind in Kind}


def test_a_crash_is_never_taken_for_an_alarm(store, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug \x1b[31m of ours")

    monkeypatch.setattr(Learning, "programs", broken)
    answer = run("explain", "orders", *store)
    assert answer.explains("RuntimeError: a bug \\x1b[31m of ours", "--verbose")
    assert "Traceback" in run("explain", "orders", "-v", *store).err


def test_interrupted_by_the_user(store, monkeypatch):
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Learning, "programs", stopped)
    assert run("explain", "orders", *store).code == 130


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_is_printed_not_installed(shell, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    answer = run("completion", shell)
    assert answer.code == 0
    assert "_BYHISTORY_COMPLETE" in answer.out
    assert not list(tmp_path.iterdir())


def test_a_shell_that_asks_is_told_the_commands(tmp_path):
    command = Path(sys.executable).with_name("byhistory")
    if not command.exists():
        pytest.skip("byhistory is not installed as a command here")
    asked = {"_BYHISTORY_COMPLETE": "complete_bash", "COMP_WORDS": "byhistory back", "COMP_CWORD": "1"}
    done = subprocess.run([command], env=asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert {"backfill", "backtest"} <= set(done.stdout.split())


def test_options_of_the_program_may_stand_anywhere(store):
    first = run(*store, "runs", "orders")
    last = run("runs", "orders", f"{store[0]}={store[1]}")
    assert first == last
    assert first.code == 0


def test_nothing_that_commands_a_terminal_is_said():
    assert safe("a\x1b[2Jb\x9b\u202e\ud800\tc\nd") == "a\\x1b[2Jb\\x9b\\u202e\\ud800\\x09c\nd"
    assert table(["a"], [["x\ny\x1b"]]) == "a\nx\\x0ay\\x1b"


def test_a_bar_never_leaves_its_place():
    assert [len(bar(share, 10)) for share in (-1.0, 0.0, 0.5, 1.0, 2.0, 1e300)] == [10] * 6


def test_a_name_that_is_no_text_is_refused(store):
    answer = run("runs", "x\udcff", *store)
    assert answer.code == 2
    assert "is no UTF-8" in answer.err


def test_a_late_run_is_said_to_be_learning_by_the_runs_until_it(filled):
    with Validator(f"sqlite:///{filled}", config=Config()) as guard:
        verdict = Verdict("2026-11-03", (), {}, is_learning=True, table="orders")
        runs = tuple(line for line in guard.records.runs("orders") if line.run <= "2026-11-03")
        of, batch = guard.guarded("orders"), guard.records.profile_of("orders", "2026-11-03")
        answer = Judged(verdict, batch, Past.of([]), {}, guard.learning.programs("orders"), runs, of)
        assert last_line(answer) == "learning: orders 2026-11-03, 3 of 7 runs"


def test_what_could_not_be_judged_is_not_said_to_hold(filled):
    said = [
        Outcome(Constraint(m, 0, 1), status, 0.5, 0, 1) for m, status in (("min", "holds"), ("max", "not evaluable"))
    ]
    verdict = Verdict("1", (), {"n": ColumnVerdict("n", tuple(said))}, table="orders")
    with Validator(f"sqlite:///{filled}", config=Config()) as guard:
        batch = guard.records.profile_of("orders", "2026-11-03")
        answer = Judged(verdict, batch, Past.of([]), {}, {}, (), guard.guarded("orders"))
        assert last_line(answer) == "as usual: orders 1, 1 constraint on 1 column hold, 1 could not be judged"


def test_usage_errors_exit_with_2_and_say_what_is_possible(store):
    assert run("check", "--no-such-option").code == 2
    assert run("nonsense").code == 2
    assert "No such command" in run("nonsense").err


def test_building_the_program_is_fast_enough_to_do_for_every_test():
    assert app() is not app()
