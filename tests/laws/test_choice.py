"""Laws of the choice: within the budget, near the best, and the same every time."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effort import calls
from tests.exact import choose_exactly
from tests.strategies import examples

from byhistory.errors import ByHistoryError
from byhistory.learners.paper.choice import choose


def seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


GUARANTEE = (1 - 1 / math.e) / 2
BUDGET = 0.001


@st.composite
def cases(draw: st.DrawFn, most: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Prices from a millionth to twice the budget, many of them equal, and faults that overlap."""
    n, faults = draw(st.integers(0, most)), draw(st.integers(1, 12))
    price = st.one_of(st.floats(1e-6, 2 * BUDGET), st.sampled_from([BUDGET, BUDGET / 2, BUDGET / 5]))
    prices = draw(st.lists(price, min_size=n, max_size=n))
    rows = draw(st.lists(st.lists(st.booleans(), min_size=faults, max_size=faults), min_size=n, max_size=n))
    return np.array(prices), np.array(rows, dtype=bool).reshape(n, faults)


def brute_force(prices: np.ndarray, caught: np.ndarray, budget: float, most: int) -> int:
    """The most faults that any affordable subset catches, by trying all of them."""
    best = 0
    for subset in range(1 << len(prices)):
        chosen = [i for i in range(len(prices)) if subset >> i & 1]
        if len(chosen) <= most and sum(prices[chosen].tolist()) <= budget:
            best = max(best, int(caught[chosen].any(axis=0).sum()))
    return best


@given(cases(), st.one_of(st.none(), st.integers(0, 4)))
def test_a_choice_stays_within_budget_and_within_its_number_of_clauses(
    case: tuple[np.ndarray, np.ndarray], most: int | None
) -> None:
    prices, caught = case
    choice = choose(prices, caught, BUDGET, most)
    assert choice.spent <= BUDGET
    assert choice.spent == pytest.approx(sum(prices[list(choice.indices)]))
    assert len(set(choice.indices)) == len(choice.indices)
    assert most is None or len(choice.indices) <= most
    if len(prices):
        assert (choice.caught == caught[list(choice.indices)].any(axis=0)).all()


@given(cases())
def test_a_choice_catches_at_least_its_guaranteed_share_of_the_best(case: tuple[np.ndarray, np.ndarray]) -> None:
    prices, caught = case
    best = choose_exactly(prices, caught, BUDGET)
    assert choose(prices, caught, BUDGET).caught.sum() >= GUARANTEE * best.caught.sum()


def test_a_choice_is_nearly_always_the_best_on_cases_like_ours() -> None:
    """Metrics at several widths: the wider, the cheaper and the blinder."""
    rng = seeded(3)
    shares = []
    for _ in range(200):
        response = rng.exponential(4.0, (5, 12))
        widths = np.array([2.0, 3.5, 5.0, 8.0])
        caught = (response[:, None, :] > widths[:, None]).reshape(20, 12)
        prices = np.tile(1 / widths**2, 5)
        best = choose_exactly(prices, caught, 0.15).caught.sum()
        shares.append(choose(prices, caught, 0.15).caught.sum() / best if best else 1.0)
    assert min(shares) >= GUARANTEE
    assert np.mean(shares) > 0.9


@given(cases(most=7), st.integers(0, 4))
@examples(60)
def test_the_exact_choice_is_the_best_of_all_subsets(case: tuple[np.ndarray, np.ndarray], most: int) -> None:
    prices, caught = case
    exact = choose_exactly(prices, caught, BUDGET, most)
    assert exact.spent <= BUDGET
    assert len(exact.indices) <= most
    assert exact.caught.sum() == brute_force(prices, caught, BUDGET, most)


@given(cases(), st.randoms(use_true_random=False))
def test_a_choice_does_not_depend_on_the_order_of_the_faults(
    case: tuple[np.ndarray, np.ndarray], shuffler: random.Random
) -> None:
    prices, caught = case
    order = list(range(caught.shape[1]))
    shuffler.shuffle(order)
    assert choose(prices, caught, BUDGET).indices == choose(prices, caught[:, order], BUDGET).indices


@given(cases())
def test_every_picked_clause_catches_something_new(case: tuple[np.ndarray, np.ndarray]) -> None:
    prices, caught = case
    covered = np.zeros(caught.shape[1], dtype=bool)
    for i in choose(prices, caught, BUDGET).indices:
        assert (caught[i] & ~covered).any()
        covered |= caught[i]


def test_of_equal_ratios_more_faults_win_then_the_earlier() -> None:
    caught = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 1, 1]], dtype=bool)
    assert choose([0.0001, 0.0002, 0.0002, 0.0002], caught, BUDGET).indices == (1, 2)


def test_what_does_not_fit_is_passed_over_and_the_picking_goes_on() -> None:
    caught = np.eye(4, dtype=bool)
    caught[1] |= caught[2]
    assert choose([0.0001, 0.00095, 0.00096, 0.0005], caught, BUDGET).indices == (0, 3)


def test_one_good_clause_beats_a_cheap_one_that_blocks_it() -> None:
    caught = np.array([[True] + [False] * 9, [False] + [True] * 9])
    assert choose([1e-6, BUDGET], caught, BUDGET).indices == (1,)


def test_the_single_clause_must_fit_the_budget_too() -> None:
    caught = np.array([[True] + [False] * 9, [True] * 10])
    assert choose([1e-6, 1.1 * BUDGET], caught, BUDGET).indices == (0,)


def test_five_clauses_at_a_fifth_of_the_budget_all_fit() -> None:
    assert len(choose([BUDGET / 5 * (1 - 1e-12)] * 5, np.eye(5, dtype=bool), BUDGET).indices) == 5


@pytest.mark.parametrize("price", [0.0, -1.0, float("nan"), 1e-310])
def test_a_free_clause_is_refused_with_a_way_out(price: float) -> None:
    with pytest.raises(ByHistoryError, match="candidate 1"):
        choose([0.1, price], np.eye(2, dtype=bool), BUDGET)


def test_nothing_to_choose_from_is_an_empty_choice() -> None:
    assert choose([], np.zeros((0, 5), dtype=bool), BUDGET).indices == ()
    assert choose([0.5], [[True]], BUDGET).indices == ()
    assert choose([0.0001], np.zeros((1, 0), dtype=bool), BUDGET).indices == ()


def test_ten_times_the_candidates_are_not_more_calls_for_a_picked_clause() -> None:
    rng = seeded(0)
    caught, prices = rng.random((2000, 60)) < 0.2, 10 ** rng.uniform(-6, -3, 2000)

    def calls_for_a_pick(candidates: int) -> float:
        some = prices[:candidates], caught[:candidates], BUDGET
        return calls(lambda: choose(*some)) / len(choose(*some).indices)

    assert calls_for_a_pick(2000) < 2 * calls_for_a_pick(200)
