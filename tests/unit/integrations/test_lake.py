"""Names of branches: one run, one branch."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byhistory.errors import ByHistoryError
from byhistory.integrations.lake import branch_of
from byhistory.profile.label import checked_label


def is_label(text):
    try:
        return bool(checked_label(text))
    except ByHistoryError:
        return False


CLOSE = st.text(st.sampled_from("ab01-_/.:é A"), min_size=1, max_size=8).filter(is_label)
"""Labels that are likely to differ in nothing but their signs."""


@given(CLOSE, CLOSE)
@example("a/b", "a-b")
@example("a", "A")
@example("é", "ü")
@example("2026-11-15 10:00+01:00", "2026-11-15 10:00-01:00")
@example("2026-11-15", "2026_11_15")
@example("x" * 199 + "1", "x" * 199 + "2")
def test_two_runs_never_share_a_branch(one, other):
    assert (branch_of(one).lower() == branch_of(other).lower()) == (one == other), "whatever case a catalog keeps"


@given(CLOSE)
def test_the_name_of_one_branch_is_no_label_that_gives_another(label):
    name = branch_of(label)
    assert re.fullmatch(r"[a-z0-9_]{1,100}", name)
    for named in (name, name.removeprefix("audit_"), name.removeprefix("audit_").replace("_", "-")):
        assert not is_label(named) or named == label or branch_of(named) != name


@pytest.mark.parametrize("label", ["2026-11-15", "2026-w07", "20261115"])
def test_a_plain_label_is_read_off_its_branch(label):
    assert branch_of(label) == f"audit_{label.replace('-', '_')}"
