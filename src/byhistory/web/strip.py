"""The last runs of a table as a row of cells: a colour, and a sign where there is something to tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

from byhistory.plain import plain
from byhistory.validator.standing import StripRun
from byhistory.web.links import link
from byhistory.web.render import SIGNS

_WIDE, _HIGH, _CELLS = 8, 22, 60
"""Pixels of a cell, and how many there are, by choice: two months of days."""


def strip(table: str, runs: Sequence[StripRun], cells: int = _CELLS) -> Markup:
    """A picture of the last runs, the latest at the right; what is not as usual links to its run."""
    shown = runs[-cells:]
    left = (cells - len(shown)) * _WIDE
    parts = [Markup('<rect class="m-rest" x="{}" y="2" width="{}" height="18"/>').format(left, len(shown) * _WIDE)]
    for mark, alike in groupby(enumerate(shown), key=lambda pair: pair[1].mark):
        cells_ = list(alike)
        if mark == "learning":
            parts.append(_stretch(mark, len(cells_), left + cells_[0][0] * _WIDE))
        elif mark != "as usual":
            parts += [_cell(table, run, left + i * _WIDE) for i, run in cells_]
    words = in_words(shown)
    return Markup('<svg class="strip" viewBox="0 0 {} {}" role="{}" aria-label="{}">{}</svg>').format(
        cells * _WIDE, _HIGH, "group" if has_links(shown) else "img", words, Markup("").join(parts)
    )


def has_links(runs: Sequence[StripRun]) -> bool:
    """Whether some cells link to their runs: then a screen reader reads a group of links, else a picture."""
    return any(run.mark not in ("as usual", "learning") and run.at is not None for run in runs)


def _stretch(mark: str, runs: int, x: int) -> Markup:
    """One rectangle for a sequence of runs without links."""
    drawn = Markup('<rect class="m-{}" x="{}" y="2" width="{}" height="18"><title>{}</title></rect>')
    return drawn.format(mark, x, runs * _WIDE - 1, f"{runs} {'run' if runs == 1 else 'runs'}: {mark}")


def _cell(table: str, run: StripRun, x: int) -> Markup:
    name = run.mark.replace(" ", "-")
    label = f"{plain(run.run, 40)}: {run.mark}"
    drawn = Markup('<rect class="m-{}" x="{}" y="2" width="{}" height="18"><title>{}</title></rect>').format(
        name, x, _WIDE - 1, label
    )
    sign = Markup('<text x="{}" y="15" class="m-sign">{}</text>').format(x + (_WIDE - 1) / 2, SIGNS[run.mark])
    if run.at is None:  # it never came, so it has no page
        return drawn + sign
    # Not in the order of the tab key: the table's own page lists the same runs as links.
    to = link("/run", t=table, r=run.run)
    return Markup('<a href="{}" tabindex="-1" aria-label="{}">{}{}</a>').format(to, label, drawn, sign)


def in_words(runs: Sequence[StripRun]) -> str:
    """What the picture shows, in words.

    >>> in_words([StripRun("1", "as usual"), StripRun("2", "stopped")])
    'last 2 runs: 1 as usual, 1 stopped'
    """
    counted = Counter(run.mark for run in runs)
    counts = ", ".join(f"{count} {mark}" for mark, count in counted.most_common())
    return f"last {len(runs)} runs: {counts}" if runs else "no runs yet"
