"""Large data, where profiles are sketches: every metric stays within the error that it states."""

import numpy as np
import pytest
from scipy import stats
from tests.strategies import THOROUGH

from byhistory.metrics import by_name
from byhistory.metrics._match import Shares
from byhistory.rows.field import Options
from byhistory.rows.hashing import hash_words
from byhistory.rows.local import profile_table


def rng(seed):
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


def column(values):
    return profile_table({"x": values}, sample_rows=0)["x"]


SHAPES = {
    "normal": lambda r, n: r.normal(0, 1, n),
    "lognormal": lambda r, n: r.lognormal(0, 1.5, n),
    "pareto": lambda r, n: r.pareto(2.5, n),
    "integers": lambda r, n: r.integers(0, 100_000, n).astype(float),
    "mostly zero": lambda r, n: np.where(r.random(n) < 0.9, 0.0, r.exponential(1, n)),
    "two humps": lambda r, n: np.where(r.random(n) < 0.5, r.normal(-50, 1, n), r.normal(50, 0.1, n)),
    "prices": lambda r, n: r.lognormal(3, 0.6, n).round(2),
    "spikes": lambda r, n: np.where(r.random(n) < 0.4, r.normal(0, 1, n).round(), r.normal(0, 1, n)),
    "sorted": lambda r, n: np.sort(r.normal(0, 1, n)),
}
CHANGES = {
    "same": lambda x: x,
    "moved": lambda x: x + 0.1 * x.std(),
    "wider": lambda x: x * 1.2,
}


LARGE = SHAPES if THOROUGH else ("pareto", "spikes")
"""The shapes that are hardest for a sketch, by tail and by ties: a million rows of each take seconds."""


@pytest.mark.parametrize(
    ("rows", "shape"),
    [*((200_000, s) for s in SHAPES), *(pytest.param(1_000_000, s, marks=pytest.mark.slow) for s in LARGE)],
)
def test_distances_of_numbers_are_within_one_percent_of_rank_and_two_of_spread(shape, rows):
    x = SHAPES[shape](rng(1), rows)
    p = column(x)
    for change in CHANGES.values():
        y = change(SHAPES[shape](rng(2), rows * 4 // 5))
        q = column(y)
        assert not q.is_exact
        assert by_name("ks_dist")(p, q) == pytest.approx(stats.ks_2samp(x, y).statistic, abs=0.01)
        assert by_name("emd")(p, q) == pytest.approx(stats.wasserstein_distance(x, y), abs=0.02 * x.std())
        pooled = np.sqrt((x.var() + 0.8 * y.var()) / 1.8)
        assert by_name("cohen_d")(p, q) == pytest.approx(abs(x.mean() - y.mean()) / pooled, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_quantiles_are_within_one_percent_of_rank_and_distinct_values_within_two(shape):
    x = SHAPES[shape](rng(1), 300_000)
    p = column(x)
    ordered = np.sort(x)
    for name, share in {"p1": 0.01, "p5": 0.05, "median": 0.5, "p95": 0.95, "p99": 0.99}.items():
        at = by_name(name)(p)
        low, high = (np.searchsorted(ordered, at, side) / len(x) for side in ("left", "right"))
        assert low - 0.01 <= share <= high + 0.01, name
    distinct = len(np.unique(x))
    assert by_name("dist_val_count")(p) == pytest.approx(distinct, rel=0.02)
    assert by_name("unique_ratio")(p) == pytest.approx(distinct / len(x), rel=0.02)
    exactly = {"min": x.min(), "max": x.max(), "mean": x.mean(), "sum": x.sum(), "std": x.std(ddof=1)}
    assert {n: by_name(n)(p) for n in exactly} == pytest.approx(exactly, rel=1e-9, abs=1e-6)


def test_binned_distances_of_a_sketch_are_those_of_the_data():
    x, y = rng(1).normal(0.2, 1.3, 200_000), rng(2).normal(0, 1, 200_000)
    edges = np.quantile(y, np.arange(17) / 16)
    p, q = (np.histogram(v, [-np.inf, *edges, np.inf])[0] / len(v) for v in (x, y))
    expected = (stats.entropy(p, (p + q) / 2, base=2) + stats.entropy(q, (p + q) / 2, base=2)) / 2
    assert by_name("js_div")(column(x), column(y)) == pytest.approx(expected, abs=0.002)


def zipf(random, rows, values, power):
    shares = 1 / np.arange(1, values + 1) ** power
    return random.choice(values, rows, p=shares / shares.sum())


ROWS = 200_000


def _codes_and_ids(r):
    """More frequent values than a table lists, among so many rare ones that its sample is thin."""
    return np.where(r.random(ROWS) < 0.8, r.integers(0, 400, ROWS), r.integers(10**6, 10**9, ROWS))


MANY = {
    "zipf": lambda r: (zipf(r, ROWS, 10_000, 1.1), zipf(r, ROWS, 10_000, 1.1)),
    "zipf with a new value": lambda r: (
        np.where(r.random(ROWS) < 0.1, -1, zipf(r, ROWS, 10_000, 1.1)),
        zipf(r, ROWS, 10_000, 1.1),
    ),
    "even": lambda r: (r.integers(0, 2_000, ROWS), r.integers(0, 2_000, ROWS)),
    "many, even": lambda r: (r.integers(0, 100_000, ROWS), r.integers(0, 100_000, ROWS)),
    "ids": lambda _: (np.arange(ROWS), np.arange(ROWS, 2 * ROWS)),
    "ids, half of them old": lambda _: (np.arange(ROWS), np.arange(ROWS) + ROWS // 2),
    "codes, and before ids too": lambda r: (r.integers(0, 400, ROWS), _codes_and_ids(r)),
    "just too many": lambda r: (r.geometric(0.01, ROWS), r.geometric(0.01, ROWS)),
}


@pytest.mark.parametrize("case", MANY)
def test_distances_of_more_values_than_a_table_holds_are_near_those_of_the_data(case):
    now, before = MANY[case](rng(7))
    values, inverse = np.unique(np.concatenate([now, before]), return_inverse=True)
    p, q = (np.bincount(i, minlength=len(values)) / ROWS for i in (inverse[:ROWS], inverse[ROWS:]))
    exact = Shares(p, q, np.ones(len(values)), np.asarray(0.5))
    a, b = (column(x.astype(str)) for x in (now, before))
    assert not b.is_exact
    for name in ("l1", "l_inf", "cosine", "chi_squared", "js_div", "kl_div", "new_value_ratio", "lost_value_ratio"):
        metric = by_name(name)
        assert metric(a, b) == pytest.approx(float(metric.compute.distance(exact)), abs=0.1 * metric.high), name
    if case == "ids":
        assert by_name("l1")(a, b) == pytest.approx(2.0)
        assert by_name("js_div")(a, b) == pytest.approx(1.0)


def test_a_frequent_value_is_not_taken_for_the_rest_because_of_its_hash():
    candidates = np.arange(100_000)
    hashes = hash_words(candidates.astype(float).view(np.uint64), Options().seed)
    heavy = candidates[hashes % 4096 == 0][0]  # it would stand for the thousands of rare values that are not kept
    rare = np.arange(10**6, 10**6 + 20_000)
    now, before = (column(np.concatenate([np.full(n, heavy), rare])) for n in (20_000, 22_000))
    assert now.values.zeros.max() >= 12 >= now.values.level
    assert by_name("l1")(now, before) == pytest.approx(2 * (22 / 42 - 20 / 40), abs=1e-6)
