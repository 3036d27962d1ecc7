"""Every word of the glossary is defined where the glossary says, and said once."""

import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "glossary.md"
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| `(byhistory[\w.]+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_has_words():
    assert len(ROWS) > 30
    assert len(ROWS) == sum(line.startswith("| ") for line in PAGE.read_text(encoding="utf-8").splitlines()) - 1


@pytest.mark.parametrize(("word", "where"), [(word, where) for word, _, where in ROWS])
def test_a_word_is_defined_where_the_glossary_says(word, where):
    parts = where.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            found = getattr(found, name)
        assert found is not None, word
        return
    pytest.fail(f"no module in {where}")


def test_a_word_stands_once():
    words = [word for of, _, _ in ROWS for word in of.split(", ")]
    assert len(words) == len(set(words))


def test_no_meaning_is_a_name_of_code():
    assert not [meaning for _, meaning, _ in ROWS if re.search(r"`byhistory\.", meaning)]
