"""Other ways to find the segment: a decision tree, a search like Slice Finder's, and Adtributor.

All get the same rows and may use the same columns as we do. Slice Finder and Adtributor need to be told which rows are
bad, or what to count: they get the trait that our own first step finds.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from byhistory.why.features import Feature

ROWS = 40_000
"""Rows of each run that a rival gets, by choice: more takes it minutes."""


def tree(features: list[Feature], _: Any) -> list[tuple[Any, Any]]:
    """scikit-learn's tree on "this run or the one before" over all columns; its purest leaves, the largest first."""
    columns, sizes = [], []
    for f in features:
        columns.append(np.concatenate([f.now, f.before]))
        sizes.append(f)
    x = np.stack(columns, axis=1)
    ordered = [f.edges is not None for f in features]
    wide = [
        x[:, [i]] if o else (x[:, [i]] == np.arange(features[i].size)).astype(np.int8) for i, o in enumerate(ordered)
    ]
    matrix = np.concatenate(wide, axis=1)
    y = np.repeat([1, 0], [len(features[0].now), len(features[0].before)])
    some = np.random.default_rng(0).permutation(len(y))[: 2 * ROWS]
    model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=20, class_weight="balanced", random_state=0)
    model.fit(matrix[some], y[some])
    leaves = model.apply(matrix)
    now = len(features[0].now)
    found = []
    for leaf in np.unique(leaves):
        here = leaves == leaf
        a, b = here[:now].sum(), here[now:].sum()
        skew = (a / now) - (b / max(1, len(y) - now))
        found.append((abs(skew), here[:now], here[now:]))
    found.sort(key=lambda f: -f[0])
    return [(a, b) for _, a, b in found[:3]]


def _literals(features: list[Feature]) -> list[tuple[int, Any, Any]]:
    """Values, and tenths of the ranges, as Slice Finder and Adtributor cut them."""
    found = []
    for number, f in enumerate(features):
        if f.edges is None:
            found += [(number, f.now == i, f.before == i) for i in range(f.size)]
        else:
            tenths = np.linspace(0, f.size, 11).astype(int)
            found += [
                (number, (f.now >= a) & (f.now < b), (f.before >= a) & (f.before < b))
                for a, b in pairwise(tenths)
                if b > a
            ]
    return found


def slice_finder(features: list[Feature], trait: Any) -> list[tuple[Any, Any]]:
    """Breadth first through conjunctions: the first, largest slices with an effect size of 0.4 that are significant."""
    loss = trait.now.astype(float)
    literals = [(n, a, b) for n, a, b in _literals(features) if a.sum() >= 20]
    level: list[tuple[tuple[int, ...], Any, Any]] = [((i,), a, b) for i, (_, a, b) in enumerate(literals)]
    found: list[tuple[Any, Any]] = []
    for _ in range(3):
        passed, left = [], []
        for names, a, b in level:
            inside, outside = loss[a], loss[~a]
            if len(inside) < 20 or len(outside) < 20:
                continue
            spread = np.sqrt((inside.var() + outside.var()) / 2)
            effect = (inside.mean() - outside.mean()) / max(1e-12, spread)
            p = stats.ttest_ind_from_stats(
                inside.mean(),
                inside.std() + 1e-9,
                len(inside),
                outside.mean(),
                outside.std() + 1e-9,
                len(outside),
                False,
            ).pvalue
            if effect >= 0.4 and p < 0.05 / max(1, len(level)):
                passed.append((len(inside), a, b))
            else:
                left.append((effect, names, a, b))
        passed.sort(key=lambda s: -s[0])
        found += [(a, b) for _, a, b in passed]
        if len(found) >= 3:
            break
        left.sort(key=lambda s: -s[0])
        level = []
        for (_, one, a, b), (_, two, c, d) in combinations(left[:40], 2):
            union = tuple(sorted({*one, *two}))
            if len({literals[i][0] for i in union}) == len(union) <= 3 and (both := a & c).sum() >= 20:
                level.append((union, both, b & d))
    return found[:3]


def adtributor(features: list[Feature], trait: Any) -> list[tuple[Any, Any]]:
    """Each column by itself: its most surprising elements that together explain two thirds of the change."""
    total = trait.now.sum() - trait.before.sum()
    by_feature: dict[int, list[tuple[Any, Any]]] = {}
    for number, a, b in _literals(features):
        by_feature.setdefault(number, []).append((a, b))
    candidates = []
    for elements in by_feature.values():
        scored = []
        for a, b in elements:
            now, before = trait.now[a].sum(), trait.before[b].sum()
            p, q = before / max(1, trait.before.sum()), now / max(1, trait.now.sum())
            m = (p + q) / 2
            surprise = 0.5 * sum(x * np.log(x / m) for x in (p, q) if x > 0)
            scored.append((surprise, (now - before) / total if total else 0.0, a, b))
        scored.sort(key=lambda s: -s[0])
        chosen, power, surprise = [], 0.0, 0.0
        for s, share, a, b in scored:
            if share > 0.1:
                chosen.append((a, b))
                power, surprise = power + share, surprise + s
            if power > 0.67:
                rows = np.logical_or.reduce([a for a, _ in chosen]), np.logical_or.reduce([b for _, b in chosen])
                candidates.append((surprise, rows))
                break
    candidates.sort(key=lambda c: -c[0])
    return [rows for _, rows in candidates[:3]]


ALL = {"decision tree": tree, "like Slice Finder": slice_finder, "Adtributor": adtributor}
