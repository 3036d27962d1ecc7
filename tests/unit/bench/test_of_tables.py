"""Runs of tables in the benchmark: what touches hardly a row is told, and does not stop."""

import numpy as np
import pytest
from bench.of_tables import TableRuns

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
