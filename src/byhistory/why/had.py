"""How likely did each row have the trait already, were the run like the one before?

A machine of one make mostly had this name, and a frozen name changes little about it. If such rows are counted like
others, a segment that has some of them seems to have been different before, and a smaller one without them is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from byhistory.profile.arrays import Bools, Floats, Ints
from byhistory.why.features import Feature
from byhistory.why.scan import Tally
from byhistory.why.search import Rows, Runs

DEPTH = 4
"""Conditions by which rows are told apart for this, at most (a choice)."""
FEWEST = 8
"""Rows of the run before, with the trait, from which on they are looked for (a choice): as many as support a value."""
SURE = 3.0
"""The evidence that a split must have beyond what the number of splits that are tried brings by chance (a choice)."""
IDLE = 0.01
"""What a row that probably had the trait costs a segment (a choice): of two that explain as much, the smaller one is
told."""
LEAST, MOST = 0.02, 0.98
"""The share of the rows that got the trait is taken to be between these (a choice)."""


def expected(features: Sequence[Feature], had: Bools, rows: Rows, size: int) -> Floats | None:
    """The rate at which rows like each row of this run had the trait in the run before; None if all are alike."""
    usable = [f for f in features if f.has_past]
    if had[rows[1]].sum() < FEWEST or not usable:
        return None
    parts = list(_leaves(usable, had, rows, DEPTH))
    if len(parts) < 2:
        return None
    rates = np.full(size, np.nan)
    for here, there in parts:
        rates[here] = (had[there].sum() + 0.5) / (len(there) + 1)  # never quite 0 or 1
    return rates


def weighed(runs: Runs, rates: Floats, got: float) -> Runs:
    """The rows of this run with the evidence of each, if a share `got` of those without the trait got it.

    What speaks against it has no trait. The sum of the evidence for, less that against, is the score of a segment.
    """
    got = min(MOST, max(LEAST, got))
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(runs.trait_now, np.log((rates + got * (1 - rates)) / rates), -np.log(1 - got))
    gain -= np.where(runs.trait_now, IDLE, 0.0)
    weights = runs.weights_now * np.nan_to_num(gain)
    return Runs(runs.features, weights, runs.weights_before, runs.trait_now, runs.trait_before, False, is_weighed=True)


def balance(segments: Tally, whole: Tally) -> Floats:
    """The score of segments whose rows are weighed."""
    del whole
    return np.asarray(2 * segments.traits_now - segments.now)


def _leaves(features: Sequence[Feature], had: Bools, rows: Rows, depth: int) -> Iterator[Rows]:
    """The rows in parts that had the trait as often as each other, by the splits that tell most."""
    split = _best(features, had, rows[1]) if depth else None
    if split is None:
        yield rows
        return
    feature, wanted = split
    mine, theirs = (wanted[codes[some]] for codes, some in zip((feature.now, feature.before), rows, strict=True))
    for inside in (True, False):
        yield from _leaves(features, had, (rows[0][mine == inside], rows[1][theirs == inside]), depth - 1)


def _best(features: Sequence[Feature], had: Bools, theirs: Ints) -> tuple[Feature, Bools] | None:
    best, most = None, SURE + float(np.log(sum(f.size for f in features)))
    with_trait = had[theirs]
    if min(with_trait.sum(), (~with_trait).sum()) < FEWEST:
        return None
    for feature in features:
        codes = feature.before[theirs] + 1  # the first place is for rows that have none of the values
        rows: Floats = np.bincount(codes, minlength=feature.size + 1).astype(np.float64)
        traits: Floats = np.bincount(codes[with_trait], minlength=feature.size + 1).astype(np.float64)
        if feature.edges is not None:  # all that is below an edge
            rows, traits = np.cumsum(rows), np.cumsum(traits)
        gains = _gain(traits, rows, float(with_trait.sum()), float(len(theirs)))
        at = int(np.argmax(gains))
        if gains[at] > most:
            places = np.arange(-1, feature.size) + 1
            wanted = places <= at if feature.edges is not None else places == at
            best, most = (feature, np.append(wanted[1:], wanted[0])), float(gains[at])  # the last place is for -1
    return best


def _gain(traits: Floats, rows: Floats, all_traits: float, all_rows: float) -> Floats:
    """How much better two rates fit than one, as the logarithm of the likelihood ratio."""

    def fit(seen: Floats, of: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [np.where(x > 0, x * np.log(x / of), 0.0) for x in (seen, of - seen)]
        return np.asarray(parts[0] + parts[1])

    whole = fit(np.asarray(all_traits), np.asarray(all_rows))
    return np.asarray(fit(traits, rows) + fit(all_traits - traits, all_rows - rows) - whole)
