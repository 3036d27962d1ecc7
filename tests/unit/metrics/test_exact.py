"""Small data, where profiles are exact: every metric equals what numpy and scipy say of the raw values."""

import math
import re
import unicodedata
from collections import Counter

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance

from byhistory.metrics import SINGLE, by_name, of_kind
from byhistory.metrics.pair.kl_div import PSEUDO
from byhistory.profile import Kind
from byhistory.rows.local import profile_table


def rng(seed):
    return np.random.default_rng(seed)  # noqa: TID251 - a test draws from a seed it names


def column(values, **more):
    return profile_table({"x": values}, **more)["x"]


def value(name, values):
    return by_name(name)(column(values))


def distances(name, now, before):
    return by_name(name)(column(now), column(before))


NUMBERS = {
    "continuous": (rng(1).normal(10, 3, 300), rng(2).normal(11, 4, 200)),
    "grades": (rng(3).integers(1, 6, 500).astype(float), rng(4).integers(2, 8, 400).astype(float)),
    "cents": (rng(5).lognormal(3, 1, 250).round(2), rng(6).lognormal(3, 1, 280).round(2)),
    "constant": (np.full(30, 0.1), np.full(40, 0.1)),
    "two constants": (np.full(30, 0.1), np.full(40, 0.3)),
    "one row": (np.array([3.0]), np.array([5.0])),
}

TEXTS = {
    "codes": (rng(1).choice(list("abcde"), 300).tolist(), rng(2).choice(list("bcdefg"), 200).tolist()),
    "mixed": (
        ["AB-12", "c 3", "", " d", "Éa", "漢字12", "x!"] * 3 + ["AB-12"],
        ["AB-12", "AB-13", "c 3", "e", "", "z?"],
    ),
    "ids": ([f"id-{i}" for i in range(200)], [f"id-{i}" for i in range(100, 400)]),
    "one row": (["a"], ["b"]),
}


@pytest.mark.parametrize("x", [x for pair in NUMBERS.values() for x in pair], ids=len)
def test_numbers_of_one_run(x):
    expected = {
        "row_count": len(x),
        "complete_ratio": 1.0,
        "unique_ratio": len(np.unique(x)) / len(x),
        "dist_val_count": len(np.unique(x)),
        "min": x.min(),
        "max": x.max(),
        "mean": x.mean(),
        "median": np.median(x),
        "sum": x.sum(),
        "range": np.ptp(x),
        "std": x.std(ddof=1) if len(x) > 1 else math.nan,
        "p1": np.percentile(x, 1),
        "p5": np.percentile(x, 5),
        "p95": np.percentile(x, 95),
        "p99": np.percentile(x, 99),
        "zero_ratio": np.mean(x == 0),
        "negative_ratio": np.mean(x < 0),
        "integer_ratio": np.mean(x == np.floor(x)),
        "nan_ratio": 0.0,
        "top_value_ratio": max(Counter(x.tolist()).values()) / len(x),
    }
    p = column(x)
    assert {n: by_name(n)(p) for n in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
    written = {m.name for m in of_kind(Kind.NUMERIC, discrete=True) if m in SINGLE} - set(expected)
    assert written == {"digits", "decimals"}


def test_digits_are_those_that_one_writes():
    assert value("decimals", [0.5, 1.25, 3.0, -2.125]) == 1.5
    assert value("digits", [0.5, 1.25, 3.0, -2.125]) == pytest.approx((2 + 3 + 1 + 4) / 4)
    assert value("digits", [7, -12, 123]) == 2.0


@pytest.mark.parametrize(("now", "before"), NUMBERS.values(), ids=NUMBERS)
def test_distances_of_numbers(now, before):
    assert distances("emd", now, before) == pytest.approx(stats.wasserstein_distance(now, before), rel=1e-9, abs=1e-15)
    assert distances("ks_dist", now, before) == pytest.approx(stats.ks_2samp(now, before).statistic, abs=1e-12)
    spread = math.sqrt(
        (len(now) * now.var() + len(before) * before.var()) / (len(now) + len(before) - 2)
        if len(now) + len(before) > 2
        else 0.0
    )
    if spread > 1e-12:
        assert distances("cohen_d", now, before) == pytest.approx(abs(now.mean() - before.mean()) / spread)
    else:
        assert distances("cohen_d", now, before) == (0.0 if now[0] == before[0] else math.inf)


@pytest.mark.parametrize("kind", ["grades", "constant", "two constants"])
def test_few_numbers_are_binned_one_by_one(kind):
    now, before = NUMBERS[kind]
    cells = np.unique(before)
    p, q = ([np.mean(x == c) for c in cells] + [np.mean(x < cells[0]), np.mean(x > cells[-1])] for x in (now, before))
    assert distances("js_div", now, before) == pytest.approx(distance.jensenshannon(p, q, base=2) ** 2, abs=1e-12)


def test_bins_hold_equal_parts_of_before_and_nulls_have_their_own():
    before = np.arange(1600.0)
    now = [None] * 400 + [math.nan] * 400 + [math.inf] * 400 + [-math.inf] * 100 + [50.0] * 300
    q = np.r_[0, np.full(16, 1 / 16), 0, 0]
    p = np.r_[100, 300, np.zeros(15), 400, 800] / 1600
    assert distances("js_div", now, before) == pytest.approx(distance.jensenshannon(p, q, base=2) ** 2, abs=1e-3)
    mixed = (1 - PSEUDO) * q + PSEUDO * p
    assert distances("kl_div", now, before) == pytest.approx(stats.entropy(p + 1e-300, mixed + 1e-300), abs=1e-2)


def test_what_lies_between_two_values_of_before_is_not_one_of_them():
    assert distances("js_div", [50.0] * 10, [0.0, 100.0] * 5) == pytest.approx(1.0)


def test_nulls_only_are_compared_with_numbers_as_rows():
    nulls, half = column([None, None], kinds={"x": Kind.NUMERIC}), column([1.0, None])
    assert by_name("js_div")(nulls, half) == pytest.approx(distance.jensenshannon([0, 1], [0.5, 0.5], 2) ** 2)
    assert by_name("js_div")(nulls, nulls) == 0.0
    assert math.isnan(by_name("ks_dist")(nulls, half))


def classes(text):
    return Counter(
        {"L": "letter", "M": "letter", "N": "digit", "P": "punctuation", "S": "punctuation", "Z": "space"}[
            unicodedata.category(c)[0]
        ]
        for c in text
    )


def pattern(text):
    symbols = "".join(
        {"letter": "l", "digit": "d", "punctuation": "-", "space": "_"}[next(iter(classes(c)))] for c in text
    )
    return re.sub(r"(.)\1+", r"\1", symbols)


@pytest.mark.parametrize("x", [x for pair in TEXTS.values() for x in pair], ids=len)
def test_texts_of_one_run(x):
    counted = classes("".join(x))
    letters = counted["letter"]
    lengths = [len(v) for v in x]
    patterns = Counter(map(pattern, x))
    expected = {
        "row_count": len(x) + 1,
        "complete_ratio": len(x) / (len(x) + 1),
        "unique_ratio": len(set(x)) / len(x),
        "dist_val_count": len(set(x)),
        "str_len": np.mean(lengths),
        "char_len": letters / len(x),
        "digit_len": counted["digit"] / len(x),
        "punc_len": counted["punctuation"] / len(x),
        "space_len": counted["space"] / len(x),
        "top_value_ratio": max(Counter(x).values()) / len(x),
        "empty_ratio": x.count("") / len(x),
        "upper_ratio": sum(c.isupper() for v in x for c in v) / letters,
        "edge_space_ratio": sum(v != v.strip() for v in x) / len(x),
        "len_p5": np.percentile(lengths, 5),
        "len_p95": np.percentile(lengths, 95),
        "len_max": max(lengths),
        "pattern_count": len(patterns),
        "top_pattern_ratio": max(patterns.values()) / len(x),
        "true_ratio": math.nan,
    }
    p = column([*x, None])
    assert {n: by_name(n)(p) for n in expected} == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert {m.name for m in of_kind(Kind.CATEGORICAL) if m in SINGLE} == set(expected)


def reference(now, before):
    """The six distances by scipy and numpy, and the share of rows with a new value."""
    cells = sorted(set(now) | set(before))
    a, b = (np.array([Counter(x)[c] for c in cells], float) for x in (now, before))
    p, q = a / a.sum(), b / b.sum()
    chi = stats.chi2_contingency(np.array([a, b]), correction=False).statistic if len(cells) > 1 else 0.0
    return {
        "l1": distance.cityblock(p, q),
        "l_inf": distance.chebyshev(p, q),
        "cosine": distance.cosine(p, q),
        "chi_squared": math.sqrt(chi / (a.sum() + b.sum())),
        "js_div": distance.jensenshannon(p, q, base=2) ** 2,
        "kl_div": stats.entropy(p, (1 - PSEUDO) * q + PSEUDO * p),
        "new": p[q == 0].sum(),
        "lost": q[p == 0].sum(),
    }


@pytest.mark.parametrize(("now", "before"), TEXTS.values(), ids=TEXTS)
def test_distances_of_texts(now, before):
    for prefix, raw in (
        ("", reference(now, before)),
        ("pat_", reference(*([*map(pattern, x)] for x in (now, before)))),
    ):
        found = {n: distances(prefix + n, now, before) for n in raw if n not in ("new", "lost")}
        assert found == pytest.approx({n: raw[n] for n in found}, abs=1e-9)
        assert distances("new_pattern_ratio" if prefix else "new_value_ratio", now, before) == pytest.approx(raw["new"])
    assert distances("lost_value_ratio", now, before) == pytest.approx(reference(now, before)["lost"])
    lengths = [[len(v) for v in x] for x in (now, before)]
    assert distances("len_ks", now, before) == pytest.approx(stats.ks_2samp(*lengths).statistic)
    assert distances("js_div", now, before) == pytest.approx(distances("js_div", before, now))


def test_booleans_are_texts_of_which_some_are_true():
    p = column([True, False, None, True])
    assert by_name("true_ratio")(p) == pytest.approx(2 / 3)
    assert by_name("dist_val_count")(p) == 2.0


def test_dates_are_measured_in_seconds_since_1970():
    import datetime as dt

    p = column([dt.date(1970, 1, 2), dt.date(1970, 1, 4), None])
    assert by_name("min")(p) == 86_400
    assert by_name("range")(p) == 2 * 86_400
    assert by_name("median")(p) == 2 * 86_400
    assert math.isnan(by_name("sum")(p))


def test_bytes_and_lists_have_sizes():
    assert value("mean_size", [b"abc", b"", None, b"a"]) == pytest.approx(4 / 3)
    assert value("len_max", [b"abc", b""]) == 3.0
    assert value("mean_size", [[1, 2], [], None]) == 1.0


def test_not_a_number_is_present_and_in_no_statistic():
    x = [1.0, math.nan, 3.0, math.inf, -math.inf, None]
    found = {n: value(n, x) for n in ("complete_ratio", "nan_ratio", "mean", "max", "min", "sum", "dist_val_count")}
    assert found == pytest.approx(
        {"complete_ratio": 5 / 6, "nan_ratio": 3 / 5, "mean": 2, "max": 3, "min": 1, "sum": 4, "dist_val_count": 5}
    )


@pytest.mark.parametrize("rows", [1, 3, 10, 999, 100_003])
@pytest.mark.parametrize("constant", [0.1, 1e300, -7.7e-5])
def test_a_constant_stays_constant_whatever_the_number_of_rows(rows, constant):
    p = column(np.full(rows, constant))
    assert {by_name(n)(p) for n in ("min", "max", "mean", "median", "p1", "p99")} == {constant}
    assert by_name("range")(p) == 0.0
    assert rows == 1 or by_name("std")(p) == 0.0
    assert by_name("cohen_d")(p, column(np.full(7, constant))) == 0.0
