"""The page: whole, escaped, alone, readable, small enough."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.histories import demo, demo_table, label
from tests.strategies import examples
from tests.unit.report.stories import CASES, DAYS, HOSTILE, hostile, renamed, small, wide

from byhistory.config import Config
from byhistory.constraints import Constraint, Outcome
from byhistory.constraints.constraint import JOINT
from byhistory.demo.orders import INCIDENTS
from byhistory.report import to_html
from byhistory.report.page import MOST_DRAWN
from byhistory.report.story import as_story
from byhistory.report.terminal import to_text
from byhistory.report.words import clause_lines
from byhistory.rows.field import Options
from byhistory.rows.local import profile_table
from byhistory.validator import Validator
from byhistory.verdict import ColumnVerdict, Finding, Verdict

VOID = {"meta", "link", "input", "br", "img"}


class Elements(HTMLParser):
    """Every element with the names of its attributes, and the text; complains about what is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.values: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(sorted(name for name, _ in attrs))))
        self.values += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, tuple(sorted(name for name, _ in attrs))))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


@pytest.fixture(params=list(CASES))
def page(request: pytest.FixtureRequest) -> str:
    return to_html(CASES[request.param]())


def test_every_element_is_closed_and_no_place_is_named_twice(page):
    ids = [value for _, name, value in Elements(page).values if name == "id"]
    assert len(ids) == len(set(ids))


def test_every_link_leads_to_a_place_on_the_page(page):
    values = Elements(page).values
    ids = {value for _, name, value in values if name == "id"}
    links = {value for tag, name, value in values if tag == "a" and name == "href"}
    assert links <= {f"#{i}" for i in ids}


def test_a_page_fetches_nothing_and_says_so_to_the_browser(page):
    read = Elements(page)
    assert not [v for v in read.values if v[1] in ("src", "srcset", "action", "style") or v[1].startswith("on")]
    assert {v[2] for v in read.values if v[0] == "link" and v[1] == "href"} == {"data:,"}
    policy = next(v[2] for v in read.values if v[1] == "content" and "default-src" in v[2])
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "url(" not in page
    assert "@import" not in page


def test_every_picture_has_words_or_stands_beside_them(page):
    pictures = [attributes for tag, attributes in Elements(page).found if tag == "svg"]
    assert all("aria-label" in a or "aria-hidden" in a for a in pictures)


def test_the_headings_come_in_order(page):
    levels = [int(tag[1]) for tag, _ in Elements(page).found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


@given(st.text(min_size=1))
@example(HOSTILE[0])
@example(HOSTILE[1])
@example("half \ud800 pair")
@examples(30)
def test_no_name_changes_what_elements_a_page_has(name):
    tame, wild = (Elements(to_html(renamed([n], table=n, run=n))) for n in ("a", name))
    assert wild.found == tame.found


def test_hostile_names_are_shown_as_they_are_written():
    text = "".join(Elements(to_html(hostile())).text)
    assert "<script>alert('name')</script>" in text
    assert r"red\x1b[31m\x07" in text
    assert "(1,000,000 characters)" in text


def test_the_alarm_is_on_the_page():
    text = " ".join(Elements(to_html(small())).text)
    for words in ("Not as usual", "amount", "values multiplied by 100", "now 3,878.1"):
        assert words in text


def test_three_hundred_columns_are_listed_and_the_page_says_which_are_drawn():
    shown = to_html(wide())
    assert len(re.findall(r'<details class="column ', shown)) == 300
    assert f"first {MOST_DRAWN} columns only" in shown
    assert len(shown) < 2_000_000


def test_forty_columns_and_sixty_runs_stay_below_half_a_megabyte():
    told = renamed([f"c{i}" for i in range(40)])
    (column, *_) = told.columns
    runs = tuple(label(day) for day in range(61))
    clauses = tuple(
        replace(
            c,
            line=replace(
                c.line,
                runs=runs,
                values=(37.1, 36.9, 38.2) * 20 + (3844.0,),
                lows=(28.9,) * 61,
                highs=(47.2,) * 61,
                places=(),
                marks=(),
                learned=(),
            ),
        )
        for c in column.clauses
    )
    columns = tuple(replace(c, clauses=clauses) for c in told.columns)
    assert len(to_html(replace(told, columns=columns)).encode()) < 500_000


# --- values of the data -----------------------------------------------------------------------------------------------


def judged(keep: bool) -> Validator:
    guard = Validator("memory:", config=Config())
    options = Options(guard.store.key(), keep)
    runs = [profile_table(demo_table(day), run=label(day), options=options) for day in range(DAYS)]
    guard.remember(runs, "orders")
    bad = INCIDENTS["casing"][1](demo_table(DAYS))
    guard.judge(profile_table(bad, run=label(DAYS), options=options), "orders")
    return guard


@pytest.mark.parametrize("keep", [True, False])
def test_no_value_is_shown_unless_it_was_kept_and_is_asked_for(keep):
    guard = judged(keep)
    for show in (True, False):
        text = " ".join(Elements(to_html(guard.records.story("orders", show_values=show))).text)
        named = {"shipped", "SAVE-10", "DE"} & set(text.split())
        assert bool(named) is (keep and show)
        assert ("keep_values" in text) is (show and not keep)


def test_hostile_values_are_escaped_too():
    guard = Validator("memory:", config=Config())
    options = Options(guard.store.key(), keep_values=True)
    words = ["<img src=x onerror=alert(1)>", "\x1b[2J", "</style><script>alert(2)</script>"]
    runs = [profile_table({"c": words * 20 + words[: i % 3]}, run=f"{i:02}", options=options) for i in range(9)]
    guard.remember(runs[:8], "t")
    guard.judge(runs[8], "t")
    read = Elements(to_html(guard.records.story("t", show_values=True)))
    assert "<img src=x onerror=alert(1)>" in "".join(read.text)
    assert not [tag for tag, _ in read.found if tag == "img"]
    assert [tag for tag, _ in read.found].count("script") == 1


# --- to be seen by everybody ------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


SCHEMES = [
    dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    for block in re.findall(r":root \{(.*?)\}", files("byhistory.report").joinpath("page.css").read_text(), re.DOTALL)
]


@pytest.mark.parametrize("colours", SCHEMES, ids=["light", "dark"])
def test_letters_stand_out_from_the_paper_and_lines_too(colours):
    for letters in ("ink", "soft", "bad", "good", "none", "link"):
        for paper in ("paper", "card"):
            assert contrast(colours[letters], colours[paper]) >= 4.5, (letters, paper)
    for lines in ("line", "after", "bad"):
        assert contrast(colours[lines], colours["card"]) >= 3.0, lines
    assert contrast(colours["line"], colours["band"]) >= 3.0


def test_the_demo_can_be_shown_from_any_day_of_its_history():
    guard = Validator("memory:", config=Config())
    guard.remember(demo(DAYS), "orders")
    for day in (0, 3, DAYS - 1):
        assert label(day) in to_html(guard.records.story("orders", label(day)))


def test_a_note_keeps_the_name_of_a_column_and_shows_commands_as_code():
    sentence = "notes: a new level since 2026-11-01, and nobody has said that this is right (see `byhistory inbox`)"
    findings = (
        Finding("constraint", "b", "b is odd", "warn"),
        Finding("constraint", "a", "a is odd"),
        Finding("alarm", "", sentence, "as usual"),
    )
    verdict = Verdict("7", findings, {name: ColumnVerdict(name) for name in ("b", "a", "notes")})
    page = to_html(verdict)
    assert "<bdi>notes: a new level since" in page
    assert "<code>byhistory inbox</code>" in page
    assert "1 not as usual, 1 warned about" in page
    assert page.index('data-name="a"') < page.index('data-name="b"'), "what stops the run first"


def test_rows_that_are_lost_are_one_line_of_the_table():
    outcome = Outcome(Constraint("row_count", 50, 60, bound=JOINT), "broken", 47.0, 50.0, 60.0, 0.01)
    rarer = replace(outcome, rarity=0.001)
    findings = tuple(
        Finding("constraint", name, "number of rows is 47", "stop", o) for name, o in (("a", outcome), ("b", rarer))
    )
    verdict = Verdict("7", findings, {f.column: ColumnVerdict(f.column, (f.outcome,)) for f in findings})
    (cause,) = as_story(verdict).causes
    (line,) = clause_lines(cause, as_story(verdict))
    assert not line.columns
    assert line.clause.outcome.rarity == 0.001
    *body, answer = to_text(verdict).splitlines()
    assert "\n".join(body).count("number of rows") == 1
    assert answer.endswith("1 cause in the number of rows.")
