"""Pictures of a story as SVG: drawn here, so that the page needs no script to show them.

A plot is stretched to the width of its place while lines keep their thickness (`vector-effect`). So letters are never
inside a plot but beside it, and a dot is a line of length 0 with round ends. Colours are classes of the style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from markupsafe import Markup

from byhistory.plain import plain
from byhistory.report.axis import Axis, possible, scale_of, ticks
from byhistory.report.shape import Shape
from byhistory.report.story import ClauseStory, MetricLine
from byhistory.report.words import usual
from byhistory.verdict.sentence import ends_of

WIDTH = 1000
"""The width of a picture, in units of its own: the page scales it."""
_PAD = 14
"""Room at the left and right of a plot, so that the outermost dots are whole."""
_LETTER = 8.5
"""Width of a digit of the page's font, in pixels, measured."""
_WIDEST = 190
"""Pixels for the labels of an axis, by choice."""
_X_TICKS = 5
"""How many labels of runs are below a plot, by choice: they are long."""
_ROW = 17
"""Height of a label beside a plot, in pixels."""


def history(clause: ClauseStory, height: int, dots: bool) -> Markup:
    """The metric over the runs with its band; this run is the last, ringed if it broke the clause."""
    line = clause.line
    scale = scale_of(clause, height)
    xs = _places(line)
    parts = [_band(clause, xs, scale)]
    if dots:
        parts.append(_path("grid", "".join(f"M0 {scale.y(at)}h{WIDTH}" for at in ticks(clause, scale))))
    parts += _lines(xs, line, scale)
    if dots:
        parts.append(_path("dots", _points(xs[:-1], line.values[:-1], scale)))
    parts += _marks(xs, line, scale)
    parts.append(_last(clause.outcome.status, xs, line, scale))
    return _svg("".join(parts), WIDTH, height, f"plot h{height}", history_in_words(clause))


def history_in_words(clause: ClauseStory) -> str:
    """What the picture shows, in words, for a screen reader."""
    past = [v for v in clause.line.values[:-1] if math.isfinite(v)]
    was = f"past runs from {clause.write(min(past))} to {clause.write(max(past))}" if past else "no past values"
    now = {"broken": "outside of what is usual", "holds": "as usual"}.get(clause.outcome.status, "not judged")
    return (
        f"{clause.title} in {len(clause.line.values)} runs: {was}; this run {clause.write(clause.outcome.value)}, {now}"
    )


def x_axis(clause: ClauseStory) -> Markup:
    """The labels of some runs below the plot, each where its run is."""
    runs, xs = clause.line.runs, _places(clause.line)
    texts = []
    for i in _spaced(xs):
        place = "start" if i == 0 else "end" if i == len(runs) - 1 else "mid"
        texts.append(
            Markup('<text x="{}%" y="15" class="tick {}">{}</text>').format(
                xs[i] / WIDTH * 100, place, plain(runs[i], 16)
            )
        )
    return Markup('<svg class="xaxis" height="20" aria-hidden="true">{}</svg>').format(Markup("").join(texts))


def _spaced(xs: Sequence[int], most: int = _X_TICKS) -> list[int]:
    """The places of some runs at about equal distances, including the first and the last."""
    if len(xs) <= most:
        return list(range(len(xs)))
    wanted = [xs[0] + k * (xs[-1] - xs[0]) / (most - 1) for k in range(most)]
    nearest = [min(range(len(xs)), key=lambda i, at=at: abs(xs[i] - at)) for at in wanted]  # type: ignore[misc]  # bound
    return list(dict.fromkeys(nearest))


def y_axis(clause: ClauseStory, height: int) -> Markup:
    """A few round values at the left of the plot, each at its height."""
    scale = scale_of(clause, height)
    marks = [(scale.y(at), clause.write(at)) for at in ticks(clause, scale)]
    width = round(max((len(text) for _, text in marks), default=0) * _LETTER)
    texts = Markup("").join(
        Markup('<text x="{}" y="{}" class="tick end">{}</text>').format(width, y + 4, text) for y, text in marks
    )
    return Markup('<svg class="yaxis" width="{}" height="{}" aria-hidden="true">{}</svg>').format(width, height, texts)


def labels(clause: ClauseStory, height: int) -> Markup:
    """The ends of the interval and the value now, written beside the plot at their heights, none over another."""
    scale = scale_of(clause, height)
    (low, high), now = ends_of(clause.outcome, clause.metric), clause.outcome.value
    marks: list[tuple[float, str, str]] = []
    if not math.isnan(now):
        beyond = ("↑ " if scale.y(now) < height / 2 else "↓ ") if scale.is_off else ""
        marks.append((scale.y(now), f"{beyond}now {clause.write(now)}", "now"))
    if (words := usual(clause)).startswith("always"):
        marks.append((scale.y(low if math.isfinite(low) else high), words, "end"))
    else:
        both = {} if clause.write(low) == clause.write(high) else {"≤": high, "≥": low}
        ends = [(v, f"{sign} {clause.write(v)}") for sign, v in both.items() if math.isfinite(v)]
        marks += [(scale.edge(v), text, "end") for v, text in ends or [(low, f"usual {words}")] if math.isfinite(v)]
    texts = Markup("").join(
        Markup('<text x="0" y="{}" class="{}">{}</text>').format(y + 5, kind, text)
        for y, text, kind in _spread(marks, height)
    )
    width = max((len(text) for _, text, _ in marks), default=0) * _LETTER
    return Markup('<svg class="labels" width="{}" height="{}" aria-hidden="true">{}</svg>').format(
        min(_WIDEST, round(width)), height, texts
    )


def spark(clause: ClauseStory) -> Markup:
    """A picture of the metric's past for a line of a table."""
    height = 28
    line = clause.line
    scale = scale_of(clause, height)
    xs = _places(line)
    parts = [_band(clause, xs, scale), *_lines(xs, line, scale)]
    parts.append(_last(clause.outcome.status, xs, line, scale))
    return _svg("".join(parts), WIDTH, height, "spark", history_in_words(clause))


def histogram(shape: Shape) -> Markup:
    """Both distributions over each other: before as a filled area, now as an outline."""
    height, wide = 120, 40
    top = max((*shape.before, *shape.now), default=0.0) or 1.0

    def steps(shares: Sequence[float], closed: bool) -> str:
        points = [(i * wide, round(height - 1 - s / top * (height - 6))) for i, s in enumerate(shares)]
        path = f"M0 {height}" + "".join(f"V{y}H{x + wide}" for x, y in points) + f"V{height}"
        return path + "Z" if closed else path

    parts = []
    if shape.before:
        parts.append(f'<path class="before" d="{steps(shape.before, True)}"/>')
    if shape.now:
        parts.append(_path("after", steps(shape.now, False)))
    return _svg("".join(parts), wide * len(shape.labels), height, "plot histogram", shape_in_words(shape))


def shape_in_words(shape: Shape) -> str:
    """What the picture shows, in words, for a screen reader."""
    parts = []
    for when, shares in (("before", shape.before), ("now", shape.now)):
        if shares:
            most = max(range(len(shares)), key=lambda i: shares[i])
            parts.append(f"{when} most were {shape.labels[most]} ({shares[most]:.0%})")
        else:
            parts.append(f"{when} there were none")
    return f"{shape.title}: {'; '.join(parts)}"


def bars(before: float | None, now: float | None, top: float) -> Markup:
    """Two bars over each other, one before and one now; the numbers are written beside them."""
    parts = []
    for name, y, share in (("before", 2, before), ("bar", 12, now)):
        if share:
            parts.append(f'<rect class="{name}" y="{y}" width="{max(0.4, 100 * share / top):.1f}" height="8"/>')
    return Markup(
        '<svg class="bars" viewBox="0 0 100 22" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
    ).format(
        Markup("".join(parts))  # noqa: S704 - numbers only
    )


# --- parts ------------------------------------------------------------------------------------------------------------


def _svg(inner: str, width: int, height: int, classes: str, words: str) -> Markup:
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(classes, width, height, words, Markup(inner))  # noqa: S704 - made here, of numbers only


def _places(line: MetricLine) -> list[int]:
    """How far to the right each run is, by the calendar."""
    at = line.places or tuple(range(len(line.values)))
    if len(at) <= 1:
        return [WIDTH // 2] * len(at)
    return [round(_PAD + (place - at[0]) * (WIDTH - 2 * _PAD) / (at[-1] - at[0])) for place in at]


def _path(name: str, d: str) -> str:
    return f'<path class="{name}" d="{d}"/>' if d else ""


def _lines(xs: Sequence[int], line: MetricLine, scale: Axis) -> list[str]:
    """A line through all values, with gaps where there is none; dashed where it leads to one beyond the axis."""
    at = line.places or tuple(range(len(line.values)))
    known = [i for i, v in enumerate(line.values) if not math.isnan(v)]
    off = len(line.values) - 1 if scale.is_off else -1
    rows = [[known[k] for k in row] for row in _neighbours([at[i] for i in known])]
    solid = "".join(
        _broken_line(_straightened(_at([i for i in row if i != off], xs, line, scale))) for row in rows if row != [off]
    )
    dashed = "".join(_broken_line(_at(row[-2:], xs, line, scale)) for row in rows if off in row and len(row) > 1)
    return [_path("line", solid), _path("off", dashed)]


def _at(runs: Sequence[int], xs: Sequence[int], line: MetricLine, scale: Axis) -> list[tuple[int, int]]:
    return [(xs[i], scale.y(line.values[i])) for i in runs]


def _marks(xs: Sequence[int], line: MetricLine, scale: Axis) -> list[str]:
    """A ring around every past run that was warned about, stopped or decided on: one path for each of these."""
    found: dict[str, str] = {}
    for x, value, mark in zip(xs[:-1], line.values, line.marks, strict=False):
        if mark and not math.isnan(value):
            found[mark] = found.get(mark, "") + f"M{x} {scale.y(value)}h0"
    return [_path(f"mark {mark}", d) + _path("pip", d) for mark, d in found.items()]


def _broken_line(points: Sequence[tuple[int, int]]) -> str:
    """A path from the first point to the last, in relative steps, which take fewer letters than places."""
    steps = [f"{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(points)]
    start = f"M{points[0][0]} {points[0][1]}"
    return f"{start}l{' '.join(steps)}" if steps else f"{start}h0"


def _straightened(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The points without those in the middle of a level piece."""
    last = len(points) - 1
    return [p for i, p in enumerate(points) if i in (0, last) or not points[i - 1][1] == p[1] == points[i + 1][1]]


def _points(xs: Sequence[int], values: Sequence[float], scale: Axis) -> str:
    return "".join(f"M{x} {scale.y(v)}h0" for x, v in zip(xs, values, strict=True) if not math.isnan(v))


def _band(clause: ClauseStory, xs: Sequence[int], scale: Axis) -> str:
    """The interval in every run, within what is possible; if it is the same everywhere, one rectangle."""
    if not any(math.isfinite(end) for end in (*clause.line.lows, *clause.line.highs)):
        return ""  # where anything would do, nothing is usual
    least, most = possible(clause)
    line = replace(
        clause.line,
        lows=tuple(min(max(low, least), most) for low in clause.line.lows),
        highs=tuple(max(min(high, most), least) for high in clause.line.highs),
    )
    known = [i for i in range(len(line.lows)) if not math.isnan(line.lows[i]) and not math.isnan(line.highs[i])]
    if not known:
        return ""
    lows, highs = [scale.edge(line.lows[i]) for i in known], [scale.edge(line.highs[i]) for i in known]
    if len(set(lows)) == len(set(highs)) == 1:
        left = 0 if known[0] == 0 else xs[known[0]]
        thick = max(2, lows[0] - highs[0])  # a line for a metric that never changes
        top = (highs[0] + lows[0] - thick) // 2
        return f'<rect class="band" x="{left}" y="{top}" width="{WIDTH - left}" height="{thick}"/>'
    d = []
    for run in _neighbours(known):
        there = _straightened([(xs[known[k]], highs[k]) for k in run])
        back = _straightened([(xs[known[k]], lows[k]) for k in reversed(run)])
        d.append(_broken_line([*there, *back]) + "Z")
    return _path("band", "".join(d))


def _neighbours(places: Sequence[int]) -> Iterator[list[int]]:
    """Indices into `places`, one list for each unbroken sequence of places."""
    row: list[int] = []
    for k, place in enumerate(places):
        if row and place != places[row[-1]] + 1:
            yield row
            row = []
        row.append(k)
    if row:
        yield row


def _last(status: str, xs: Sequence[int], line: MetricLine, scale: Axis) -> str:
    if not line.values or math.isnan(line.values[-1]):
        return ""
    d = f"M{xs[-1]} {scale.y(line.values[-1])}h0"
    if status == "broken":
        return f'<path class="ring" d="{d}"/><path class="hole" d="{d}"/>'
    return _path("here", d)


def _spread(marks: Sequence[tuple[float, str, str]], height: int) -> list[tuple[int, str, str]]:
    """The labels from top to bottom, moved so that none covers another and all are within the plot."""
    order = sorted(marks, key=lambda m: m[0])
    ys: list[float] = []
    for y, _, _ in order:
        ys.append(max(y, ys[-1] + _ROW if ys else _ROW / 2))
    limit = height - _ROW / 2
    for i in range(len(ys) - 1, -1, -1):
        ys[i] = min(ys[i], limit)
        limit = ys[i] - _ROW
    return [(round(y), text, kind) for y, (_, text, kind) in zip(ys, order, strict=True)]
