"""What is built says where it is from."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def build():
    pytest.importorskip("hatchling")
    return importlib.import_module("hatch_build")


def test_the_examples_of_the_build_run(build):
    assert doctest.testmod(build).attempted
    assert not doctest.testmod(build).failed


def test_nothing_in_the_readme_of_a_release_is_an_address_of_the_checkout(build):
    text = build.with_addresses((ROOT / "README.md").read_text(encoding="utf-8"), "https://git.example/b")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 5
    assert not [to for to in links if not to.startswith(("https://", "#"))]
