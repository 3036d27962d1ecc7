"""Whatever a table, a run or a column is called, no output of any command is more than text to who reads it."""

import json
import re
import shlex
from datetime import datetime, timezone
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests.shell import byhistory as run

from byhistory.config import Config
from byhistory.history import Setting
from byhistory.history.refuse import LONGEST_TABLE
from byhistory.profile.label import LONGEST
from byhistory.report import to_json, to_junit, to_text
from byhistory.report.openlineage import to_openlineage
from byhistory.report.outputs import ALL as OUTPUTS
from byhistory.report.page import commands
from byhistory.report.prometheus import Checked, to_prometheus
from byhistory.rows.local import profile_table
from byhistory.validator import Validator

AT = datetime(2026, 11, 15, tzinfo=timezone.utc)
NAMES = (
    "::stop-commands::x",
    "  ::add-mask::y",
    "##[error]z",
    "##vso[task.complete result=Succeeded;]",
    "##teamcity[buildStop]",
    "=HYPERLINK(1)",
    "<script>alert(1)</script>",
    "a|b`c`[d](http://example.org) @here",
    "'; DROP TABLE x; --",
    "\\' OR 1=1 --",
    "{{ 7 * 7 }}",
    "]]>&amp;",
    "עברית 価格 👩",
)
COMMANDS = (
    ["tables"],
    ["runs", "{table}"],
    ["explain", "{table}"],
    ["inbox"],
    ["due"],
    ["verify"],
    ["accept", "{table}", "{run}", "--why", "{run}", "--who", "{table}"],
    ["mute", "{table}", "{column}", "mean"],
    ["budget", "{table}"],
    ["tables", "--json"],
    ["runs", "{table}", "--json"],
    ["explain", "{table}", "--json"],
)
MORE = (
    ["unset", "{table}", "{column}", "mean"],
    ["snooze", "{table}", "{run}", "--until", "{run}", "--who", "{table}"],
    ["undo", "{table}", "{run}", "--why", "{column}"],
    ["reject", "{table}", "{run}", "--why", "{run}"],
    ["prune", "{table}", "--keep", "1"],
    ["backtest", "{table}"],
    ["export", "{table}", "--to", "odcs", "--dir", "{folder}"],
    ["accept", "{table} no", "{run}"],
    ["accept", "{table}", "{run} no"],
    ["mute", "{table}", "{column} no", "mean"],
    ["mute", "{table}", "{column}", "{column}"],
    ["check", "{table}", "{column}", "--run", "{run}", "--engine", "local"],
)
"""Tried with the names that CI systems obey alone: what they share with the others is tried above."""
_COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


@pytest.fixture(scope="module", params=NAMES, ids=ascii)
def hostile(request, tmp_path_factory):
    """A store in which everything is called so."""
    name = request.param
    store = tmp_path_factory.mktemp("hostile") / "history.db"
    random = np.random.default_rng(7)  # noqa: TID251 - a test names its seed
    with Validator(str(store), config=Config()) as guard:
        runs = [profile_table({name: random.normal(9, 1, 40)}, run=f"{name} {day}".strip()) for day in range(9)]
        guard.remember(runs[:8], name)
        guard.judge(profile_table({name: [None] * 40}, run=f"{name} 8".strip()), name)
    return name, str(store)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_output_of_a_command_commands_its_reader(hostile, words):
    no_command_in(hostile, words)


@pytest.mark.parametrize("hostile", NAMES[:4], indirect=True, ids=ascii)
@pytest.mark.parametrize("words", MORE, ids=" ".join)
def test_no_answer_and_no_error_of_others_commands_its_reader(hostile, words):
    no_command_in(hostile, words)


def no_command_in(hostile, words):
    name, store = hostile
    named = {"table": name, "run": f"{name} 8".strip(), "column": name, "folder": f"{store}.exports"}
    said = run(*(w.format(**named) for w in words), "--store", store)
    assert said.code in (0, 1) or said.err.count("Asked: ") == 1, said.err
    for text in (said.out, said.err):
        assert not _COMMAND.search(text), text
        assert not _ACTS.search(text)
    if "--json" in words:
        json.loads(said.out)


@pytest.fixture(scope="module", params=NAMES, ids=ascii)
def told(request):
    """The story of a run in which everything is called so."""
    name = request.param
    random = np.random.default_rng(7)  # noqa: TID251 - a test names its seed
    guard = Validator("memory:", config=Config())
    runs = [profile_table({name: random.normal(9, 1, 40)}, run=f"{name} {day}".strip()) for day in range(9)]
    guard.remember(runs[:8], name)
    return name, guard.judge(profile_table({name: [None] * 40}, run=f"{name} 8".strip()), name)


WRITERS = {
    **{output.name: lambda judged, write=output.write: write(judged.story()) for output in OUTPUTS},
    "narrow text": lambda judged: to_text(judged.story(), 60),
    "verdict": lambda judged: str(judged.verdict),
    "json in a line": lambda judged: to_json(judged.story(), None),
    "openlineage": lambda judged: to_openlineage(judged.verdict, judged.profile, at=AT, run_id="7"),
    "prometheus": lambda judged: to_prometheus([Checked(judged.verdict, 7, AT)]),
    "junit with an error": lambda judged: to_junit(judged.story(), errors={judged.verdict.table: judged.verdict.run}),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_no_format_of_a_verdict_commands_its_reader(told, writer):
    name, judged = told
    text = WRITERS[writer](judged)
    ours = r"::(error|warning|notice) title=[^:]+::" if writer == "github" else "(?!)"
    lines = [re.sub(f"^{ours}", "", line) for line in text.split("\n")]
    assert not any(_COMMAND.search(line) for line in lines), text
    assert not _ACTS.search(text)
    if "json" in writer:
        assert json.loads(text)["table"] == name
    if "junit" in writer:
        ET.fromstring(text)  # noqa: S314 - our own text
    if writer == "html":
        assert "<script>alert(1)" not in text
    if writer == "markdown":
        assert "<" not in text


def test_names_as_long_as_they_may_be_list_like_all_others(tmp_path):
    store = str(tmp_path / "history.db")
    with Validator(store, config=Config()) as guard:
        guard.remember([profile_table({"n": [1, 2]}, run="9" * LONGEST)], "t" * LONGEST_TABLE)
    for words in (["tables"], ["runs", "t" * LONGEST_TABLE]):
        assert run(*words, "--store", store).code == 0


@pytest.mark.parametrize("name", ["$(touch x)", "a; touch x", "`touch x`", "-rf", "a'b", "a b"])
def test_what_is_to_be_pasted_into_a_shell_names_the_table_and_runs_nothing_else(name, tmp_path):
    store = str(tmp_path / "history.db")
    with Validator(store, config=Config()) as guard:
        guard.remember([profile_table({"n": [day, 2]}, run=f"{day}") for day in range(9)], name)
        judged = guard.judge(profile_table({"n": [None]}, run=name), name)
        guard.store.put_setting(Setting(name, "budget", '{"budget": 7}', "ann", AT))
    suggested = [command for _, command in commands(judged.story())]
    said = run("budget", "--store", store, "--", name).err
    suggested += [said[said.index("byhistory budget") :].strip()]
    assert len(suggested) == 5
    for command in suggested:
        words = shlex.split(command, comments=True)
        assert name in words, command
        assert not name.startswith("-") or words.index("--") < words.index(name)
