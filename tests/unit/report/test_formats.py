"""Every format, on every kind of story."""

import csv
import io
import json
import re
import unicodedata
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from tests.unit.report.schema import complaints
from tests.unit.report.stories import CASES, HOSTILE, renamed, small, story_of, wide

from byhistory.plain import cells
from byhistory.report import to_csv, to_github, to_html, to_json, to_junit, to_markdown, to_text
from byhistory.report.machine import schema
from byhistory.report.story import Story
from byhistory.verdict.codec import from_json

ALL = {f.__name__: f for f in (to_csv, to_github, to_html, to_json, to_junit, to_markdown, to_text)}


@pytest.fixture(params=list(CASES))
def told(request: pytest.FixtureRequest) -> Story:
    return CASES[request.param]()


@pytest.mark.parametrize("show", ALL.values(), ids=list(ALL))
def test_every_format_shows_every_story_the_same_way_twice(show, told):
    assert show(told) == show(told) != ""


@pytest.mark.parametrize("show", ALL.values(), ids=list(ALL))
def test_every_format_shows_a_bare_verdict(show, told):
    assert show(told.verdict)


@pytest.mark.parametrize("show", ALL.values(), ids=list(ALL))
def test_no_format_lets_a_character_act(show, told):
    shown = show(told)
    acting = {c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert acting <= {"\n", "\u200c", "\u200d", "\u2060"}  # joiners of emoji and of our own against mentions
    shown.encode()


@pytest.mark.parametrize("show", ALL.values(), ids=list(ALL))
def test_a_name_of_a_million_letters_fills_no_page(show):
    limit = 4_200_000 if show is to_json else 120_000  # machines get the name as it is
    assert len(show(renamed(["x" * 1_000_000]))) < limit


# --- terminal ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(told, width):
    assert max(cells(line) for line in to_text(told, width).splitlines()) <= width


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_begins_with_a_command_wherever_a_name_is_broken(width):
    for long in range(20, width):
        for command in ("::stop-commands::y", "##[error]y", ":" * width):
            for line in to_text(renamed(["x" * long + command]), width).splitlines():
                assert not line.strip().startswith(("::stop", "##["))


def test_the_verdict_is_in_the_last_line(told):
    words = {"stop": "STOP: ", "as usual": "AS USUAL: ", "learning": "LEARNING: "}
    last = to_text(told, 10_000).splitlines()[-1]
    assert last.startswith(words[told.verdict.status])


def test_three_hundred_columns_with_one_cause_are_one_message():
    lines = to_text(wide()).splitlines()
    assert len(lines) < 12
    assert "300 columns" in " ".join(lines)
    assert "values multiplied by 100" in " ".join(lines)


def test_colours_are_only_there_when_asked_for(told):
    plain, coloured = to_text(told), to_text(told, color=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain != coloured


def test_an_alarm_as_a_person_reads_it():
    assert to_text(small()) == (
        """\
orders · 06 · 2,089 rows · 2 columns · 5 past runs, 01 to 05

✗ 1  amount
     looks like: values multiplied by 100
     what     usual             now  how unlikely         past → now
     average  33.7 – 42.98  3,878.1  < once in a million  ▁▁▁▁▁█

· 2  column 'note' is new

STOP: run 06 of orders is not as usual: 1 cause in 1 column."""
    )


def test_shadow_mode_is_said_everywhere():
    told = story_of("cents")
    shadow = replace(told, verdict=replace(told.verdict, is_shadow=True))
    assert to_text(shadow, 200).splitlines()[-1].startswith("STOP (SHADOW): ")
    assert 'failures="0"' in to_junit(shadow)
    assert to_github(shadow).startswith("::warning ")
    assert "shadow" in to_markdown(shadow)
    assert "shadow mode" in to_html(shadow)
    assert json.loads(to_json(shadow))["shadow"] is True


def test_a_warning_that_the_caller_does_not_go_on_for_fails_everywhere():
    told = story_of("cents")

    def warned(of):
        return tuple(replace(f, level="warn") if f.stops else f for f in of.findings)

    columns = tuple(replace(c, findings=warned(c)) for c in told.columns)
    told = replace(told, verdict=replace(told.verdict, findings=warned(told.verdict)), columns=columns)
    assert 'failures="0"' in to_junit(told)
    assert "passes with a warning" in to_junit(told)
    strict = replace(told, fails_from="warn")
    assert 'failures="1"' in to_junit(strict)
    for write in ALL.values():
        assert "passes with a warning" not in write(strict), write.__name__
    in_shadow = replace(strict, verdict=replace(told.verdict, is_shadow=True))
    assert 'failures="0"' in to_junit(in_shadow)


# --- machines ---------------------------------------------------------------------------------------------------------


def test_json_keeps_to_its_schema(told):
    assert complaints(json.loads(to_json(told)), schema()) == []


def test_json_is_ascii_and_has_no_numbers_that_are_none(told):
    text = to_json(told)
    assert text.isascii()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_a_verdict_comes_back_from_json(told):
    back = from_json(told.verdict.to_json())
    assert (back.status, back.run, back.table, back.ok) == (
        told.verdict.status,
        told.verdict.run,
        told.verdict.table,
        told.verdict.ok,
    )
    assert [f.sentence for f in back.findings] == [f.sentence for f in told.verdict.findings]
    assert [f.sentence for f in back.causes] == [f.sentence for f in told.verdict.causes]
    assert back.to_json() == told.verdict.to_json()


def test_causes_point_at_all_findings_once(told):
    body = json.loads(to_json(told))
    assert sorted(i for cause in body["causes"] for i in cause["findings"]) == list(range(len(body["findings"])))


def test_junit_counts_what_it_has_and_fails_where_the_run_is_stopped(told):
    root = ET.fromstring(to_junit(told, told))  # noqa: S314 - our own text
    assert len(root.findall("testsuite")) == 2
    for suite in root.findall("testsuite"):
        cases = suite.findall("testcase")
        assert int(suite.get("tests")) == len(cases) == len(told.columns) + 1
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
        assert bool(suite.findall("testcase/failure")) is not told.verdict.ok


def test_github_gets_one_command_a_line_and_no_name_becomes_a_command(told):
    lines = to_github(told).split("\n")
    assert all(re.fullmatch(r"::(error|notice) title=[^:,]+::[^\r\n]+", line) for line in lines)
    assert any(line.startswith("::error") for line in lines) is not told.verdict.ok
    assert len(lines) <= 21


def test_a_csv_has_the_same_cells_in_every_line_and_no_formula(told):
    heads, *lines = csv.reader(io.StringIO(to_csv(told)))
    assert all(len(line) == len(heads) for line in lines)
    texts = [heads.index(h) for h in ("table", "run", "column", "looks_like", "sentence")]
    assert not [line[i] for line in lines for i in texts if line[i][:1] in set("=+-@\t\r")]


def test_markdown_fits_into_a_chat_and_makes_no_markup_of_names(told):
    text = to_markdown(told)
    assert len(text) < 4_000
    assert "<" not in text
    assert not re.search(r"(?<!\\)[`|\[]", text)
    assert "@everyone" not in text
    assert "://" not in text


def test_hostile_names_can_still_be_told_apart():
    text = to_text(renamed(HOSTILE[:3]), 200)
    assert "<script>alert('name')</script>" in text
    assert r"red\x1b[31m\x07\x9b2J\x0d\x0anext" in text
