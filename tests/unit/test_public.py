"""The names that a user may rely on."""

import re
from pathlib import Path

import pytest

import byhistory

API = (Path(__file__).parents[2] / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
NAMES = [name for name in byhistory.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_is_offered_and_says_what_it_is(name):
    if name in {"profile_run", "profile_runs"}:
        pytest.importorskip("pyspark")
    assert getattr(byhistory, name).__doc__
    assert name in dir(byhistory)


def test_the_reference_describes_the_public_names_and_no_others():
    assert sorted(re.findall(r"^::: byhistory\.(\w+)$", API, re.MULTILINE)) == sorted(NAMES)


def test_another_name_is_missing_as_in_any_module():
    with pytest.raises(AttributeError, match="no attribute 'Validater'"):
        byhistory.Validater  # noqa: B018 - asked for its effect
