"""All tables on one page, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from byhistory.config import TableConfig
from byhistory.plain import plain
from byhistory.validator.due import DueLine
from byhistory.validator.standing import STATES, Standing
from byhistory.validator.undelivered import Undelivered
from byhistory.web.asking import Asked
from byhistory.web.render import render_page, render_part
from byhistory.web.strip import strip

ON_A_PAGE = 100
"""How many tables a page lists, by choice."""
SORTS: dict[str, str] = {"worst": "worst first", "name": "name", "late": "due next", "stopped": "most often stopped"}


@dataclass(frozen=True, slots=True)
class Row:
    """A table in the list."""

    standing: Standing
    config: TableConfig

    @property
    def name(self) -> str:
        """The name of the table, as it is shown."""
        return plain(self.standing.table) or "(no name)"

    @property
    def strip(self) -> Any:
        """The picture of its last runs."""
        return strip(self.standing.table, self.standing.strip)

    @property
    def due(self) -> DueLine | None:
        """The run to show as due: a late one before an expected one."""
        return next(iter(sorted(self.standing.due, key=lambda d: not d.needs_a_look)), None)

    @property
    def right(self) -> str:
        """How many stops were right, out of those that somebody answered."""
        s = self.standing
        return f"{s.right} of {s.answered} right" if s.answered else ("not answered" if s.stopped else "")


@dataclass(frozen=True, slots=True)
class Lost:
    """A channel that messages did not reach: for how many tables, since when, and how it failed last."""

    name: str
    tables: int
    since: datetime
    problem: str


def lost(standings: Iterable[Standing]) -> list[Lost]:
    """The channels that messages did not reach."""
    found: dict[str, list[tuple[str, Undelivered]]] = {}
    for s in standings:
        for one in s.undelivered:
            found.setdefault(one.channel, []).append((s.table, one))
    silent = [
        Lost(some[-1][1].name, len({t for t, _ in some}), min(one.since for _, one in some), some[-1][1].problem)
        for some in found.values()
    ]
    return sorted(silent, key=lambda one: one.name)


def show(asked: Asked) -> Response:
    """The list, filtered and sorted as the address says."""
    watch = asked.console.watch
    rows = [Row(s, asked.guard.config.table(t)) for t, s in watch.standings().items()]
    kept = sift(rows, asked.get("q"), asked.get("state"), asked.get("owner"), asked.get("tag"))
    sort = asked.get("sort") if asked.get("sort") in SORTS else "worst"
    ordered = sorted(kept, key=_KEYS[sort])
    last = max(1, -(-len(ordered) // ON_A_PAGE))
    number = min(max(1, int(asked.get("p")) if asked.get("p").isdecimal() and len(asked.get("p")) < 7 else 1), last)
    return render_page(
        "fleet",
        asked.console,
        asked.visitor,
        rows=[_drawn(asked, row) for row in ordered[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]],
        found=len(ordered),
        total=len(rows),
        left=max(0, watch.left),
        page=number,
        pages=last,
        counts=Counter(r.standing.state for r in rows),
        lost=lost(r.standing for r in rows),
        waiting=sum(len(r.standing.waiting) for r in rows),
        states=STATES,
        owners=sorted({r.config.owner for r in rows if r.config.owner}),
        tags=sorted({tag for r in rows for tag in r.config.tags}),
        sorts=SORTS,
        sort=sort,
        query={k: asked.get(k) for k in ("q", "state", "owner", "tag", "sort")},
        version=watch.number,
    )


def _drawn(asked: Asked, row: Row) -> Markup:
    """A row as HTML, rendered again only when the standing of its table has changed."""
    kept = asked.console.rows.get(row.standing.table)
    if kept is None or kept[0] is not row.standing:
        kept = asked.console.rows[row.standing.table] = row.standing, render_part("fleet_row", row=row)
    return kept[1]


def sift(rows: Iterable[Row], word: str, state: str, owner: str, tag: str) -> list[Row]:
    """The rows that match; an empty text matches all."""
    word = word.casefold()
    return [
        r
        for r in rows
        if word in r.standing.table.casefold()
        and state in ("", r.standing.state)
        and owner in ("", r.config.owner)
        and (not tag or tag in r.config.tags)
    ]


def _worst(row: Row) -> Sequence[Any]:
    s = row.standing
    return STATES.index(s.state), -len(s.waiting), s.table


def _due(row: Row) -> Sequence[Any]:
    due = row.due
    at = None if due is None or due.expected is None else due.expected.timestamp()
    return at is None, at or 0.0, row.standing.table


_KEYS: dict[str, Callable[[Row], Any]] = {
    "worst": _worst,
    "name": lambda r: r.standing.table.casefold(),
    "late": _due,
    "stopped": lambda r: (-r.standing.stopped, r.standing.table),
}
