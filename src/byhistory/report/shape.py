"""What a column looked like before and looks like now, as bars that can be compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from byhistory.constraints.words import amount, number, percent
from byhistory.plain import plain
from byhistory.profile import ColumnProfile, Frequencies, Kind, Quantiles
from byhistory.profile.arrays import Floats
from byhistory.profile.quantiles import heights

BINS = 24
"""Bins of a histogram, by choice: each is wide enough to be pointed at on a phone."""
TOP = 8
"""How many values, patterns or formats are shown by themselves, by choice; the rest is one bar."""
_TAIL = 0.005
"""The share of the values at either end that may share the outermost bin (by choice)."""
_LOG_FROM = 100.0
"""Bins grow with the values from this ratio of the largest to the smallest value on (by choice)."""
_WORTH_NAMING = 0.02
"""If no value has this share of the rows, their ranks mean nothing, and they are not shown (by choice)."""

What = Literal["numbers", "lengths", "values", "patterns", "formats"]


@dataclass(frozen=True, slots=True)
class Shape:
    """One distribution, in the last good run and in this one: shares of the values that are present, bar by bar.

    `before` is empty if there is no run to compare with, `now` if this run has no values. `is_ordered` tells bins on
    a line (a histogram) from names (a ranking).
    """

    what: What
    title: str
    labels: tuple[str, ...]
    before: tuple[float, ...]
    now: tuple[float, ...]
    is_ordered: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One plain number of a column, before and now, as people write it."""

    name: str
    before: str
    now: str


def shapes(now: ColumnProfile | None, before: ColumnProfile | None, show_values: bool) -> tuple[Shape, ...]:
    """All that can be drawn about a column. Values are named by rank only, unless they were kept and may be shown.

    >>> from byhistory.rows.local import profile_table
    >>> a, b = (profile_table({"s": s})["s"] for s in (["x"] * 3 + ["y"], ["x"] * 2 + ["z"] * 2))
    >>> [(shape.labels, shape.before, shape.now) for shape in shapes(b, a, False) if shape.what == "values"]
    [(('value 1', 'value 2', 'new value 1'), (0.75, 0.25, 0.0), (0.5, 0.0, 0.5))]
    """
    known = now or before
    if known is None:
        return ()
    if before is not None and now is not None and before.kind is not now.kind:
        before = None
    return tuple(shape for shape in _shapes(known.kind, now, before, show_values) if shape is not None)


def _shapes(
    kind: Kind, now: ColumnProfile | None, before: ColumnProfile | None, show_values: bool
) -> Iterator[Shape | None]:
    if kind in (Kind.NUMERIC, Kind.TEMPORAL):
        quantiles = tuple(None if p is None else p.quantiles for p in (before, now))
        whole = all(p is None or p.numbers is None or p.numbers.integers == p.numbers.count for p in (before, now))
        title = "Values" if kind is Kind.NUMERIC else "When"
        yield _histogram("numbers", title, quantiles, lambda x: _place(x, kind), whole and kind is Kind.NUMERIC)
        return
    if kind is Kind.CATEGORICAL and _is_boolean(now or before):
        yield _truths(now, before)
        return
    yield _ranking("values", now, before, show_values)
    if kind is Kind.CATEGORICAL:
        has_formats = all(p is None or p.formats is not None for p in (now, before))
        yield _ranking("formats" if has_formats else "patterns", now, before, True)
    title = {Kind.CATEGORICAL: "Lengths in characters", Kind.BINARY: "Sizes in bytes"}.get(kind, "Sizes in elements")
    lengths = tuple(None if p is None else p.lengths for p in (before, now))
    yield _histogram("lengths", title, lengths, number, True)


# --- bins on a line ---------------------------------------------------------------------------------------------------


def _histogram(
    what: What, title: str, pair: Sequence[Quantiles | None], write: Callable[[float], str], whole: bool
) -> Shape | None:
    some = [q for q in pair if q is not None and len(q.values)]
    if not some:
        return None
    ends = np.array([q.at(np.array([_TAIL, 1 - _TAIL])) for q in some])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    full = min(float(q.values[0]) for q in some), max(float(q.values[-1]) for q in some)
    is_single = whole and high - low < BINS
    edges, note = _edges(low, high, is_single)
    if not np.isfinite(edges).all():
        return None
    shares = [() if q is None or not len(q.values) else _shares(q, edges) for q in pair]
    labels = _bin_labels(edges, full, write, is_single)
    return Shape(what, title, labels, shares[0], shares[1], True, note)


def _edges(low: float, high: float, is_single: bool) -> tuple[Floats, str]:
    """Where bins begin and end, and a note about them; with `is_single`, every whole number has a bin of its own."""
    with np.errstate(over="ignore", invalid="ignore"):
        if is_single:
            return np.arange(math.floor(low), math.ceil(high) + 2, dtype=np.float64) - 0.5, ""
        if low > 0 and high / low >= _LOG_FROM:
            return np.asarray(np.geomspace(low, high, BINS + 1), np.float64), "bins grow with the values (logarithmic)"
        if high > low:
            return np.asarray(np.linspace(low, high, BINS + 1), np.float64), ""
        around = max(abs(low) * 0.01, 0.5)
        return np.asarray(np.linspace(low - 1.5 * around, low + 1.5 * around, 4), np.float64), ""


def _shares(q: Quantiles, edges: Floats) -> tuple[float, ...]:
    """The share of the values in each bin; values beyond the ends are in the outermost ones."""
    below, _ = heights(q.knots(), edges)
    below[0], below[-1] = 0.0, 1.0
    return tuple(np.maximum(0.0, np.diff(below)).tolist())


def _bin_labels(
    edges: Floats, full: tuple[float, float], write: Callable[[float], str], single: bool
) -> tuple[str, ...]:
    if single:
        return tuple(write(float(place)) for place in (edges[:-1] + edges[1:]) / 2)
    names = [f"{write(float(a))} to {write(float(b))}" for a, b in pairwise(edges)]
    if full[0] < edges[0]:
        names[0] = f"up to {write(float(edges[1]))}"
    if full[1] > edges[-1]:
        names[-1] = f"{write(float(edges[-2]))} and more"
    return tuple(names)


def _place(x: float, kind: Kind) -> str:
    if kind is Kind.TEMPORAL:
        from byhistory.metrics import by_name

        return amount(round(x), by_name("max"), kind)
    return number(float(f"{x:.3g}"))


# --- names ------------------------------------------------------------------------------------------------------------


def _is_boolean(p: ColumnProfile | None) -> bool:
    return p is not None and p.type in ("bool", "boolean")


def _truths(now: ColumnProfile | None, before: ColumnProfile | None) -> Shape:
    def shares(p: ColumnProfile | None) -> tuple[float, ...]:
        return () if p is None or not p.present else (p.trues / p.present, 1 - p.trues / p.present)

    return Shape("values", "Values", ("true", "false"), shares(before), shares(now), False)


def _ranking(what: What, now: ColumnProfile | None, before: ColumnProfile | None, named: bool) -> Shape | None:
    tables = [None if p is None else getattr(p, what) for p in (before, now)]
    tables = [t if t is not None and t.total else None for t in tables]
    counts = [{} if t is None else _counts(t) for t in tables]
    if not any(counts):
        return None
    most = max(max(c.values(), default=0.0) for c in counts)
    if what == "values" and most < _WORTH_NAMING:
        return None
    then, here = counts
    first = sorted(then, key=lambda i: (-then[i], i))[:TOP]
    later = sorted((i for i in here if i not in then), key=lambda i: (-here[i], i))[: TOP // 2]
    rest = sorted((i for i in here if i not in first and i not in later), key=lambda i: (-here[i], i))
    order = [*first, *later, *rest[: max(0, TOP - len(first) - len(later))]]
    labels = _names(order, tables, then, what, named)
    bars = [[c.get(i, 0.0) for i in order] if t is not None else [] for c, t in zip(counts, tables, strict=True)]
    others = [max(0.0, 1.0 - sum(b)) if b else 0.0 for b in bars]
    if max(others) > 1e-9:
        labels.append("all others")
        bars = [[*b, o] if b else [] for b, o in zip(bars, others, strict=True)]
    is_partial = any(t is not None and not t.is_complete for t in tables)
    title, note = _TITLES[what]
    note = "; ".join(n for n in (note, "too many to count every one exactly" if is_partial else "") if n)
    return Shape(what, title, tuple(labels), tuple(bars[0]), tuple(bars[1]), False, note)


_TITLES = {
    "values": ("Most frequent values", ""),
    "patterns": ("Patterns", "l letters, d digits, - punctuation, _ white space, ? anything else"),
    "formats": ("Formats", "a small letters, A capitals, 1 up to three digits, 4 more digits, x anything else"),
}


def _counts(table: Frequencies) -> dict[int, float]:
    return dict(zip(table.ids.tolist(), (table.counts / table.total).tolist(), strict=True))


def _names(
    order: Sequence[int], tables: Sequence[Frequencies | None], then: dict[int, float], what: What, named: bool
) -> list[str]:
    words: dict[int, str] = {}
    for t in tables:
        if named and t is not None and t.labels is not None:
            words |= dict(zip(t.ids.tolist(), t.labels.tolist(), strict=True))
    labels, old, new = [], 0, 0
    for i in order:
        is_new = bool(then) and i not in then
        old, new = old + (not is_new), new + is_new
        rank = f"new {what[:-1]} {new}" if is_new else f"{what[:-1]} {old}"
        word = plain(words[i], 60) if i in words else rank
        labels.append(word if word.strip() else "(empty)" if word == "" else repr(word))
    return labels


# --- plain numbers ----------------------------------------------------------------------------------------------------


def facts(now: ColumnProfile | None, before: ColumnProfile | None) -> tuple[Fact, ...]:
    """The few numbers of a column that need no explanation."""
    known = now or before
    if known is None:
        return ()
    rows: list[tuple[str, Callable[[ColumnProfile], str]]] = [
        ("rows", lambda p: f"{p.rows:,}"),
        ("missing", lambda p: percent(p.nulls / p.rows) if p.rows else "–"),
        ("distinct values", _distinct),
        *_OF_KIND.get(known.kind, ()),
    ]
    return tuple(Fact(name, *("–" if p is None else write(p) for p in (before, now))) for name, write in rows)


def _distinct(p: ColumnProfile) -> str:
    if p.values is None:
        return "–"
    return f"{p.distinct:,.0f}" if p.values.is_complete or not p.values.distinct_error else f"about {p.distinct:,.0f}"


def _of_numbers(field: str) -> Callable[[ColumnProfile], str]:
    def write(p: ColumnProfile) -> str:
        return "–" if p.numbers is None or not p.numbers.count else _place_exactly(getattr(p.numbers, field), p.kind)

    return write


def _place_exactly(x: float, kind: Kind) -> str:
    return _place(x, kind) if kind is Kind.TEMPORAL else number(x)


def _mean_length(p: ColumnProfile) -> str:
    return "–" if p.text is None or not p.text.count else number(round(p.text.chars / p.text.count, 2))


def _empties(p: ColumnProfile) -> str:
    return "–" if p.text is None or not p.text.count else percent(p.text.empties / p.text.count)


_OF_KIND: dict[Kind, tuple[tuple[str, Callable[[ColumnProfile], str]], ...]] = {
    Kind.NUMERIC: (
        ("smallest", _of_numbers("low")),
        ("average", _of_numbers("mean")),
        ("largest", _of_numbers("high")),
    ),
    Kind.TEMPORAL: (("earliest", _of_numbers("low")), ("latest", _of_numbers("high"))),
    Kind.CATEGORICAL: (("average length", _mean_length), ("empty text", _empties)),
}
