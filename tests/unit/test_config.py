"""Settings by pattern: what holds for many tables is written once."""

from __future__ import annotations

import pytest

from byhistory.config import parse_config
from byhistory.errors import ByHistoryError

FLEET = """
budget = 0.02
[tables."sales.*"]
catalog = "{table}"
owner = "ann"
tags = ["gold"]
run_column = "ds"
[tables."*.orders"]
owner = "ben"
[tables."sales.orders"]
budget = 0.001
[tables.other]
path = "lake/other"
"""


def test_what_a_table_says_wins_over_the_later_pattern_over_the_earlier_over_the_file():
    config = parse_config(FLEET)
    assert list(config.tables) == ["sales.orders", "other"]
    orders, items, other = (config.table(name) for name in ("sales.orders", "sales.items", "other"))
    assert (orders.owner, orders.tags, orders.budget, orders.run_column) == ("ben", ("gold",), 0.001, "ds")
    assert (items.owner, items.budget) == ("ann", 0.02)
    assert (other.owner, other.catalog, other.budget) == ("", "", 0.02)


def test_a_file_that_nests_without_end_is_a_clear_error():
    with pytest.raises(ByHistoryError, match="lists in lists"):
        parse_config("x = " + "[" * 10_000 + "]" * 10_000)


def test_a_budget_for_a_group_is_shared_by_its_tables():
    group = '[tables."a.*"]\nbudget = 0.1\nwarn_budget = 0.2\nper = "group"\n'
    config = parse_config(group + "".join(f'[tables."a.{i}"]\n' for i in range(10)) + '[tables."a.10"]\nbudget = 0.3')
    table = config.table("a.3")
    assert 1 - (1 - table.budget) ** 11 == pytest.approx(0.1)
    assert 1 - (1 - table.warn_budget) ** 11 == pytest.approx(0.2)
    assert table.per == "table"
    assert config.table("a.10").budget == 0.3, "a table that says its own has that"


def test_an_error_in_a_pattern_names_it_before_any_table_is_met():
    with pytest.raises(ByHistoryError, match=r'\[tables\."sales\.\*"\].*bugdet'):
        parse_config('[tables."sales.*"]\nbugdet = 0.1')
    with pytest.raises(ByHistoryError, match=r"per = 'group'"):
        parse_config('[tables.orders]\nper = "group"')
