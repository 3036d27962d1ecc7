"""Whatever a column is called, a file for another tool names it, and is no more than text to who shows it."""

import json
import re
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from byhistory.config import Config
from byhistory.errors import ByHistoryError
from byhistory.export.formats import by_name
from byhistory.export.sql import filled, sql_of
from byhistory.profile import Kind
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.validator.learned import learned_of

NAMES = (
    *(
        "a\n::stop-commands::x",
        "a\r\n##[error]x",
        "##vso[x]",
        "p\u202egnp.exe",
        "l\u2028::error::y",
        "\ufeffb",
        "x\x1b[31m",
    ),
    *("e\x85::notice::n", "t\tab", "\u200bz", "%0A::error::", "価格 'ü' \"q\" \\", "# no comment", "a: b"),
    "{{ env_var('TOKEN') }}",
)
TEMPLATES = ("{{ env_var('TOKEN') }}", "{% do run_query('x') %}", "{# x #}", "${TOKEN}")
FORMATS = ("gx", "odcs", "dbt", "soda")
_ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]")
_COMMAND = re.compile(r"^\s*(?:# )?::|##\w*\[", re.MULTILINE)


def learned_with(column: str, table: str = "orders"):
    random = np.random.default_rng(7)  # noqa: TID251 - a test names its seed
    guard = Validator("memory:", config=Config())
    rows = [{column: random.normal(9, 1, 40), "other": random.normal(5, 1, 40)} for _ in range(9)]
    guard.remember([profile_table(row, run=f"2026-11-0{day + 1}") for day, row in enumerate(rows)], table)
    return learned_of(guard.guarded(table))


def strings(value):
    """Every text in a document."""
    inside = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from [value] if isinstance(value, str) else ()
    for part in inside:
        yield from strings(part)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_nothing_in_a_file_acts_and_the_name_is_read_back(name):
    yaml = pytest.importorskip("yaml")
    learned = learned_with(name)
    for form in FORMATS:
        for path, text in by_name(form).write(learned).files.items():
            assert not _ACTS.search(text), (form, path)
            assert not _COMMAND.search(text), (form, path)
            if path.endswith((".yml", ".yaml", ".json")):
                found = list(strings(json.loads(text) if path.endswith(".json") else yaml.safe_load(text)))
                is_run = name in TEMPLATES and form in ("dbt", "soda")
                assert any(name in one for one in found) != is_run, (form, found)


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("form", ["dbt", "soda"])
def test_a_name_that_a_tool_would_run_is_left_out_and_said(form, name):
    done = by_name(form).write(learned_with(name))
    assert [lost.what for lost in done.unsaid if lost.column == name] == ["all of it"]
    for path, text in done.files.items():
        assert name not in text, path
        assert "other" in text or path.endswith(".sql")
    with pytest.raises(ByHistoryError, match="would run as a template"):
        by_name(form).write(learned_with("other", f"orders {name}"))


@pytest.mark.parametrize("name", ["order", "group", "select", "table", "from", "when", 'a"b', "a b", "Order", "a;b"])
def test_a_column_is_a_column_in_sql_whatever_word_it_is(name):
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute('CREATE TABLE t ("{}" REAL)'.format(name.replace('"', '""')))
        database.execute("INSERT INTO t VALUES (1), (3)")
        for metric, right in (("mean", 2), ("max", 3), ("zero_ratio", 0), ("complete_ratio", 1)):
            asked = filled(sql_of(metric, Kind.NUMERIC, "double"), name)
            assert database.execute(f"SELECT {asked} FROM t").fetchone() == (right,)  # noqa: S608 - ours
