"""What would the profile of a run be with more rows or fewer?"""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np

from byhistory.profile import ColumnProfile, Frequencies, Numbers, Quantiles, Text
from byhistory.profile.arrays import Floats
from byhistory.profile.frequencies import UNSAMPLED

_COUNTS = ("count", "nans", "pos_infs", "neg_infs", "zeros", "negatives", "integers")


def scaled(profile: ColumnProfile, factor: float) -> ColumnProfile:
    """The same column with every count this many times as large.

    Totals are rounded to whole rows. Shares, averages, quantiles and the number of distinct values stay, so tables are
    only multiplied by whole numbers: half a row of a value is none.

    >>> from byhistory.rows.local import profile_table
    >>> twice = scaled(profile_table({"n": [1, 2, None]})["n"], 2.0)
    >>> twice.rows, twice.nulls, twice.numbers.sum, twice.numbers.mean, twice.distinct
    (6, 2, 6.0, 1.5, 2.0)
    """
    times = max(1, round(factor))
    return replace(
        profile,
        rows=round(profile.rows * factor),
        nulls=round(profile.nulls * factor),
        trues=round(profile.trues * factor),
        numbers=None if profile.numbers is None else _numbers(profile.numbers, factor),
        quantiles=_quantiles(profile.quantiles, times),
        text=None if profile.text is None else _text(profile.text, factor),
        lengths=_quantiles(profile.lengths, times),
        values=_table(profile.values, times),
        patterns=_table(profile.patterns, times),
        formats=_table(profile.formats, times),
    )


def kept(profile: ColumnProfile, keeps: float, rows: float, random: np.random.Generator) -> ColumnProfile:
    """The profile if each value were there `keeps` times (below 1: with that probability) in `rows` times the rows.

    A table loses entries as rows are lost, so that rare values disappear and frequent ones stay.

    >>> from byhistory.rows.local import profile_table
    >>> p = kept(profile_table({"n": [1, 2, 3, 4]})["n"], 0.5, 1.0, np.random.default_rng(0))
    >>> p.rows, p.nulls, p.numbers.mean, p.distinct
    (4, 2, 2.5, 1.0)
    """
    if keeps <= 0.0:
        after = _emptied(profile, random)
    elif keeps >= 1.0:
        after = scaled(profile, keeps)
    else:
        after = replace(
            scaled(profile, keeps),
            values=_thinned(profile.values, keeps, random),
            patterns=_thinned(profile.patterns, keeps, random),
            formats=_thinned(profile.formats, keeps, random),
        )
    total = round(profile.rows * rows)
    return replace(after, rows=total, nulls=total - round(profile.present * keeps))


def _emptied(profile: ColumnProfile, random: np.random.Generator) -> ColumnProfile:
    nothing = Quantiles(np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.bool_))
    return replace(
        profile,
        trues=0,
        numbers=None if profile.numbers is None else Numbers(),
        quantiles=None if profile.quantiles is None else nothing,
        text=None if profile.text is None else Text(),
        lengths=None if profile.lengths is None else nothing,
        values=_thinned(profile.values, 0.0, random),
        patterns=_thinned(profile.patterns, 0.0, random),
        formats=_thinned(profile.formats, 0.0, random),
    )


def _numbers(n: Numbers, factor: float) -> Numbers:
    counts = {f: round(getattr(n, f) * factor) for f in _COUNTS}
    whole = factor == round(factor)
    exact = None if n.exact_sum is None else n.exact_sum * round(factor) if whole else round(n.exact_sum * factor)
    return replace(
        n,
        **counts,
        spread=n.spread * math.sqrt(factor),
        exact_sum=exact,
        written=n.written * factor,
        digits=n.digits * factor,
        decimals=n.decimals * factor,
    )


def _text(t: Text, factor: float) -> Text:
    return Text(*(round(getattr(t, f.name) * factor) for f in fields(t)))


def _quantiles(q: Quantiles | None, times: int) -> Quantiles | None:
    return q if q is None or times == 1 else replace(q, weights=q.weights * times)


def _table(f: Frequencies | None, times: int) -> Frequencies | None:
    return f if f is None or times == 1 else scaled_table(f, times)


def scaled_table(f: Frequencies, times: int) -> Frequencies:
    """Every value this many times as often."""
    return replace(f, total=f.total * times, counts=f.counts * times, missed=f.missed * times)


def weights_of(f: Frequencies) -> Floats:
    """How many distinct values each entry of a table stands for."""
    return np.where(f.zeros >= f.level, 2.0**f.level, 1.0) if f.level else np.ones(len(f.ids))


def distinct_left(f: Frequencies, share: float) -> float:
    """Distinct values expected after a random share of the rows: those of which not every row is lost.

    Of values that are not listed, each is taken to have as many rows as the others.

    >>> from byhistory.rows.local import profile_table
    >>> distinct_left(profile_table({"s": ["a", "a", "b"]})["s"].values, 0.5)
    1.25
    """
    weights, counts = weights_of(f), f.counts
    others = f.distinct - len(counts) if f.level == UNSAMPLED else 0.0
    if others > 0.0:
        weights, counts = np.append(weights, others), np.append(counts, (f.total - counts.sum()) / others)
    total = float(weights.sum())
    left = float(weights @ -np.expm1(counts * math.log1p(-share))) if 0.0 < share < 1.0 else total * share
    return f.distinct * left / total if total else 0.0


def _thinned(f: Frequencies | None, share: float, random: np.random.Generator) -> Frequencies | None:
    return None if f is None else thinned_table(f, share, random)


def thinned_table(f: Frequencies, share: float, random: np.random.Generator) -> Frequencies:
    """The table after a random share of its rows: rare values may be lost, frequent ones become less frequent."""
    counts = random.binomial(f.counts, share).astype(np.int64)
    here = np.flatnonzero(counts)
    total = int(counts.sum()) if f.is_complete else round(f.total * share)
    return replace(
        f,
        total=total,
        ids=f.ids[here],
        counts=counts[here],
        zeros=f.zeros[here],
        missed=math.ceil(f.missed * share),
        distinct=float(len(here)) if f.is_complete else float(round(distinct_left(f, share))),
        labels=None if f.labels is None else f.labels[here],
    )
