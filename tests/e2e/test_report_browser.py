"""The report in a real browser: the alarm is found, nothing is fetched, no name becomes an element."""

from pathlib import Path

import pytest
from tests.e2e.browser import Browser
from tests.unit.report.stories import hostile, story_of, wide

from byhistory.report import to_html

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(window: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Browser:
    page = tmp_path / "report.html"
    page.write_text(to_html(request.param()), encoding="utf-8")
    window.size(1200, 900)
    window.open(page)
    yield window
    assert window.complaints() == []
    assert [url for url in window.requests() if url != "about:blank"] == [page.as_uri()]


def text(window: Browser, selector: str = "body") -> str:
    return window.run("return document.querySelector(arguments[0]).innerText", selector)


def alarm():
    return story_of("cents")


@pytest.mark.parametrize("opened", [alarm], indirect=True)
def test_the_alarm_is_on_the_page_with_its_picture(opened):
    assert "Not as usual" in text(opened, "h1")
    card = text(opened, "article.card")
    told = alarm()
    now = told.clause(told.causes[0].finding)
    for words in ("amount", "values multiplied by 100", f"now {now.write(now.outcome.value)}"):
        assert words in card
    ring = "const r = document.querySelector('article.card .ring').getBoundingClientRect(); return [r.x, r.y]"
    band = "const r = document.querySelector('article.card .band').getBoundingClientRect(); return [r.x, r.y]"
    assert opened.run(ring)[1] < opened.run(band)[1]  # above what is usual


@pytest.mark.parametrize("opened", [alarm], indirect=True)
def test_columns_can_be_found_sorted_and_opened(opened):
    rows = (
        "return [...document.querySelectorAll('#overview tbody tr')]"
        ".filter(r => r.offsetParent).map(r => r.cells[0].innerText)"
    )
    everything = opened.run(rows)
    assert everything[0] == "amount"
    opened.run("const f = document.getElementById('find'); f.value = 'COUNT'; f.dispatchEvent(new Event('input'))")
    assert opened.run(rows) == ["country"]
    assert text(opened, "#count") == "1 of 9 columns"
    opened.run("const f = document.getElementById('find'); f.value = ''; f.dispatchEvent(new Event('input'))")
    opened.run("document.getElementById('only').click()")
    assert opened.run(rows) == ["amount"]
    opened.run("document.getElementById('only').click()")
    opened.run("document.querySelector('#overview thead button').click()")
    assert opened.run(rows) == sorted(everything)
    opened.run("location.hash = [...document.querySelectorAll('#overview a')].find(a => a.innerText == 'email').hash")
    assert opened.run("return document.querySelector(location.hash).open") is True


@pytest.mark.parametrize("opened", [alarm], indirect=True)
def test_the_page_fits_a_phone_and_both_schemes_have_their_colours(opened):
    opened.size(390, 844)
    assert opened.run("return document.documentElement.scrollWidth") <= 390
    papers = []
    for scheme in ("light", "dark"):
        opened.scheme(scheme)
        papers.append(opened.run("return getComputedStyle(document.body).backgroundColor"))
    opened.scheme("light")
    assert papers[0] != papers[1]


@pytest.mark.parametrize("opened", [hostile], indirect=True)
def test_no_hostile_name_becomes_an_element(opened):
    counted = "return ['script', 'img', 'u', 'i', 'style'].map(tag => document.querySelectorAll(tag).length)"
    assert opened.run(counted) == [1, 0, 0, 0, 1]
    assert "<script>alert('name')</script>" in text(opened)
    opened.run("document.getElementById('all').click()")
    assert opened.run("return document.querySelectorAll('details.column:not([open])').length") == 0


@pytest.mark.parametrize("opened", [wide], indirect=True)
def test_three_hundred_columns_open(opened):
    assert opened.run("return document.querySelectorAll('details.column').length") == 300
    assert len(opened.run("return [...document.querySelectorAll('article.card')].map(c => c.innerText)")) == 1


def test_without_scripts_everything_is_there(window, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(to_html(alarm()), encoding="utf-8")
    window.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        window.open(page)
        shown = window.command("Runtime.evaluate", expression="document.body.innerText")["result"]["value"]
    finally:
        window.command("Emulation.setScriptExecutionDisabled", value=False)
    assert "values multiplied by 100" in shown
    assert "Find a column" not in shown
