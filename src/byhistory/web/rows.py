"""The number of rows over the runs, as bars that link to their runs."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from byhistory.history import RunLine
from byhistory.plain import plain
from byhistory.validator.standing import mark_of
from byhistory.web.links import link

_WIDE, _HIGH = 8, 80
"""Pixels of a bar, by choice."""


def rows_chart(table: str, lines: Sequence[RunLine]) -> Markup:
    """One bar per run, coloured by what became of it."""
    top = max((line.rows for line in lines), default=0) or 1
    bars = []
    for i, line in enumerate(lines):
        high = max(1.0, line.rows / top * (_HIGH - 4))
        mark = mark_of(line)
        label = f"{plain(line.run, 40)}: {line.rows:,} rows, {mark}"
        bars.append(
            Markup(
                '<a href="{}" tabindex="-1" aria-label="{}">'
                '<rect class="m-{}" x="{}" y="{:.1f}" width="{}" height="{:.1f}"><title>{}</title></rect></a>'
            ).format(
                link("/run", t=table, r=line.run),
                label,
                mark.replace(" ", "-"),
                i * _WIDE,
                _HIGH - high,
                _WIDE - 1,
                high,
                label,
            )
        )
    words = f"rows in the last {len(lines)} runs, up to {top:,}"
    return Markup(
        '<svg class="rows" viewBox="0 0 {} {}" preserveAspectRatio="none" role="group" aria-label="{}">{}</svg>'
    ).format(max(1, len(lines)) * _WIDE, _HIGH, words, Markup("").join(bars))
