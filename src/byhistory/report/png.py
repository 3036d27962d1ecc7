"""The picture of a clause as PNG, for chats and mails, which show no SVG. It has no letters: words go beside it.

It is drawn at three times the size and then reduced, so that lines have soft edges without a library for that.
"""

from __future__ import annotations

import math
import struct
import zlib
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from byhistory.report.axis import possible, scale_of
from byhistory.report.expected import from_expected
from byhistory.report.story import ClauseStory

WIDTH, HEIGHT = 720, 200
"""Pixels, by choice: a chat shows about this much without a click."""
_FINE = 3
"""At how many times the size it is drawn, by choice: at 2, slanted lines still have steps."""
_PAD = 16
"""Pixels left and right, by choice, so that the outermost dots are whole."""
_PAPER, _BAND, _LINE, _BROKEN = (255, 255, 255), (219, 229, 241), (52, 84, 134), (168, 32, 26)
"""Red, green and blue, as on the page in its light style (`page.css`)."""

Canvas = npt.NDArray[np.uint8]


def png(clause: ClauseStory) -> bytes:
    """The metric over the runs with its band; this run is the last, ringed if it broke the clause.

    The result is the bytes of a file; the same story gives the same bytes.
    """
    high, clause = HEIGHT * _FINE, from_expected(clause)
    canvas = np.full((high, WIDTH * _FINE, 3), _PAPER, np.uint8)
    scale, line = scale_of(clause, high), clause.line
    at = line.places or tuple(range(len(line.values)))
    room = (WIDTH - 2 * _PAD) * _FINE
    far = max(1, at[-1] - at[0]) if at else 1
    xs = [_PAD * _FINE + round((place - at[0]) * room / far) for place in at]
    least, most = possible(clause)
    _band(canvas, xs, [(scale.edge(max(a, least)), scale.edge(min(b, most))) for a, b in _known(clause)])
    points = [(x, scale.y(v)) for x, v in zip(xs, line.values, strict=True) if not math.isnan(v)]
    for a, b in pairwise(points):
        _line(canvas, a, b, 1.3 * _FINE, _LINE)
    for x, value, mark in zip(xs[:-1], line.values, line.marks or ("",) * len(xs), strict=False):
        if not math.isnan(value):
            is_stopped = mark in ("stopped", "rejected")
            _dot(canvas, (x, scale.y(value)), (3.5 if is_stopped else 2.2) * _FINE, _BROKEN if is_stopped else _LINE)
    if points and not math.isnan(line.values[-1]):
        is_broken = clause.outcome.status == "broken"
        _dot(canvas, points[-1], 6.5 * _FINE, _BROKEN if is_broken else _LINE)
        _dot(canvas, points[-1], (3.2 if is_broken else 0.0) * _FINE, _PAPER)
    small = canvas.reshape(HEIGHT, _FINE, WIDTH, _FINE, 3).mean((1, 3)).round().astype(np.uint8)
    return encoded(small)


def _known(clause: ClauseStory) -> list[tuple[float, float]]:
    return list(zip(clause.line.lows, clause.line.highs, strict=True))


def _band(canvas: Canvas, xs: list[int], ends: list[tuple[int, int]]) -> None:
    """The interval of every run, from half-way to the run before to half-way to the run after."""
    height = canvas.shape[0]
    for i, (low, high) in enumerate(ends):
        left = xs[0] if i == 0 else (xs[i - 1] + xs[i]) // 2
        right = xs[i] if i + 1 == len(xs) else (xs[i] + xs[i + 1]) // 2
        top, bottom = sorted((min(height, max(0, low)), min(height, max(0, high))))
        canvas[top : max(bottom, top + 2 * _FINE), left : right + 1] = _BAND


def _line(canvas: Canvas, a: tuple[int, int], b: tuple[int, int], thick: float, colour: tuple[int, int, int]) -> None:
    steps = max(1, abs(b[0] - a[0]), abs(b[1] - a[1])) // 2 + 1
    for x, y in zip(np.linspace(a[0], b[0], steps), np.linspace(a[1], b[1], steps), strict=True):
        _dot(canvas, (round(x), round(y)), thick / 2, colour)


def _dot(canvas: Canvas, at: tuple[int, int], radius: float, colour: tuple[int, int, int]) -> None:
    if radius <= 0:
        return
    reach = math.ceil(radius)
    rows = np.arange(max(0, at[1] - reach), min(canvas.shape[0], at[1] + reach + 1))
    columns = np.arange(max(0, at[0] - reach), min(canvas.shape[1], at[0] + reach + 1))
    if len(rows) and len(columns):
        inside = (rows[:, None] - at[1]) ** 2 + (columns[None, :] - at[0]) ** 2 <= radius**2
        canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1][inside] = colour


def encoded(pixels: Canvas) -> bytes:
    r"""The bytes of a PNG file, from rows of red, green and blue.

    >>> encoded(np.zeros((1, 1, 3), np.uint8))[:4]
    b'\x89PNG'
    """
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)], axis=1)  # no filter
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_part(name, body) for name, body in parts)


def _part(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
