"""Runs of tables in the benchmark: what touches hardly a row is told, and does not stop."""

import numpy as np
import pytest
from bench.of_tables import TableRuns
from bench.wide import side_by_side

from byhistory.learners.calibrated.table import TablePrices

PRICES = TablePrices((0.0, 3.0), (0.0, 3.0), (0.0, 3.0), (0.0, 3.0))
USUAL, FAR = 0.0, 5.0


def one_run(surprises, *, is_material, rows=USUAL, stops=False):
    wide = np.array([surprises])
    same = np.zeros(1, np.int64)
    return TableRuns(
        wide, np.full(wide.shape, rows), np.full(wide.shape, stops), np.array([is_material]), same, same, same
    )


@pytest.mark.parametrize("is_material", [True, False])
def test_what_touches_hardly_a_row_is_told_and_does_not_stop(is_material):
    run = one_run([USUAL, FAR, USUAL], is_material=[True, is_material, True])
    assert run.told(PRICES, 0.01).all()
    assert run.stopped(PRICES, 0.01).all() == is_material


@pytest.mark.parametrize("is_material", [True, False])
def test_a_rule_stops_whatever_it_touches(is_material):
    run = one_run([USUAL, USUAL], is_material=[is_material] * 2, stops=True)
    assert run.stopped(PRICES, 0.01).all()


@pytest.mark.parametrize("is_material", [True, False])
def test_rows_that_hardly_moved_do_not_stop(is_material):
    run = one_run([USUAL, USUAL], is_material=[is_material] * 2, rows=FAR)
    assert run.told(PRICES, 0.01).all()
    assert run.stopped(PRICES, 0.01).all() == is_material


def test_a_column_that_is_not_there_neither_stops_nor_is_told():
    run = one_run([USUAL, np.nan], is_material=[True, True])
    assert not run.told(PRICES, 0.01).any()


def test_tables_side_by_side_have_the_columns_of_all_and_the_rows_of_the_first():
    wide = np.array([[FAR, USUAL, np.nan], [USUAL, np.nan, np.nan]])
    yes, zero = np.ones(wide.shape, bool), np.zeros(2, np.int64)
    good = TableRuns(wide, np.full(wide.shape, FAR), ~yes, yes, np.array([4, 5]), np.array([0, 1]), zero)
    one = side_by_side(good, [np.array([1]), np.array([0])])
    assert one.surprises.tolist() == [[USUAL, FAR, USUAL]]
    assert np.isnan(one.rows).tolist() == [[False, True, True]]
    assert (one.source.tolist(), one.table.tolist()) == ([5], [1])
