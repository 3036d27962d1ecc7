"""The tables that were found, what it will cost to bring in their past, and the byhistory.toml for them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from byhistory.constraints.words import percent
from byhistory.plain import plural, word
from byhistory.report.answers.settings import not_promised
from byhistory.report.columns import table

if TYPE_CHECKING:
    from byhistory.validator.proposal import Proposal


def found(proposals: Sequence[Proposal]) -> str:
    """One row per table, and what bringing in their past will cost."""
    rows = [(p.table.name, p.run_column or "–", sentence(p), _size(p.table.bytes)) for p in proposals]
    listed = table(["table", "run column", "found", "size"], rows, right=["size"])
    runs, histories = sum(len(p.labels) for p in proposals), [p.history for p in proposals if p.history is not None]
    read = _to_read([p.table.bytes for p in proposals])
    return f"{listed}\ncost: {plural(runs, 'run')} to bring in, {read}, about {_size(sum(histories))} of history"


def written(path: Path, tables: int) -> str:
    """Where byhistory.toml is, and what comes next."""
    return f"wrote {word(path)}: {plural(tables, 'table')}; read it, then `byhistory backfill --all`"


def not_written(tables: int) -> str:
    """The last line of a dry run."""
    return f"found: {plural(tables, 'table')}; nothing was written"


def sentence(of: Proposal) -> str:
    """What was found about a table, in one line."""
    if not of.run_column and of.labels:
        return f"its versions: {plural(len(of.labels), 'commit')}, {of.rhythm}, to {of.labels[-1]}"
    if not of.run_column:
        return "no column tells its runs apart: name one, or give each run's label with --run"
    if not of.labels and of.table.keys:
        return f"parted by {', '.join(of.table.keys)}, no run yet"
    if not of.labels:
        return "a guess: its dates may tell the runs apart"
    return f"{plural(len(of.labels), 'run')}, {of.rhythm}, {of.labels[0]} to {of.labels[-1]}"


def _to_read(sizes: Sequence[int | None]) -> str:
    """How much a backfill reads, and for how many tables that is not known."""
    known = [size for size in sizes if size]
    unknown = len(sizes) - len(known)
    if not known:
        return "nobody tells how much to read"
    return f"{_size(sum(known))} to read once" + f" and {plural(unknown, 'table')} of unknown size" * bool(unknown)


def _size(number: int | None) -> str:
    if not number:
        return "–"
    size = float(number)
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1000:
            return f"{size:,.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} TB"


def to_toml(
    proposals: Sequence[Proposal],
    store: str,
    *,
    owner: str = "",
    tags: Iterable[str] = (),
    budget: float | None = None,
    engine: str = "",
    storage: Mapping[str, str] | None = None,
) -> str:
    """The text of byhistory.toml: what a group has in common once, then one section per table."""
    lines = [f"engine = {_text(engine)}"] if engine else []
    reached = ", ".join(f"{name} = {_text(value)}" for name, value in (storage or {}).items())
    lines += [f"storage = {{ {reached} }}"] if storage else []
    lines += [f"store = {_text(store)}", ""]
    groups: dict[str, list[Proposal]] = {}
    for one in proposals:
        groups.setdefault(one.group, []).append(one)
    for group, members in sorted(groups.items()):
        shared = {one.run_column for one in members}
        common = shared.pop() if len(shared) == 1 else ""
        settings = [f"owner = {_text(owner)}"] if owner else []
        settings += [f"tags = [{', '.join(map(_text, tags))}]"] if tags else []
        settings += ['catalog = "{table}"'] if members[0].table.catalog else []
        is_group = bool(group) or len(groups) == 1  # the pattern of those without one would fit all others, too
        if is_group:
            settings += [f"run_column = {_text(common)}"] if common else []
            settings += [f"budget = {budget}", 'per = "group"'] if budget is not None else []
            lines += [f"[tables.{_text(group or '*')}]", *settings, ""]
        for one in members:
            lines += [f"[tables.{_text(one.table.name)}]  # {sentence(one)}", *([] if is_group else settings)]
            lines += [f"path = {_text(one.table.path)}"] if one.table.path else []
            own = one.run_column if not (is_group and common) else ""
            lines += [f"run_column = {_text(own)}"] if own else []
            needs_spark = engine == "local" and one.run_column and not one.table.keys  # it selects rows by a column
            lines += ['engine = "spark"'] if needs_spark else []
        lines += [""]
    return "\n".join(lines)


def small_shares(proposals: Sequence[Proposal], budget: float) -> str:
    """What a table gets of the budget of its group, where that is less than is promised; empty where it is not."""
    sizes = Counter(one.group for one in proposals)
    most = max((n for group, n in sizes.items() if group or len(sizes) == 1), default=0)
    share = 1.0 - (1.0 - budget) ** (1.0 / most) if most else 1.0
    below = not_promised(share)
    return f"of the budget each of {plural(most, 'table')} gets {percent(share)}: {below}" if below else ""


def _text(words: str) -> str:
    """A text as TOML writes it: like JSON, except for one character."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")
