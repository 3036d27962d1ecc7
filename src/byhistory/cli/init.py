"""Look at where the tables are, and write byhistory.toml."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import pairs, settings_of, spark_of
from byhistory.errors import ByHistoryError

if TYPE_CHECKING:
    from byhistory.files.found import FoundTable

EXAMPLES = """
byhistory init lake
byhistory init s3://bucket/lake --storage region=eu-west-1 --engine local
byhistory init --catalog shop --owner ann@example.com --tag gold --budget 0.05
"""


def run(
    ctx: typer.Context,
    place: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder with tables below it.")] = "",
    catalog: Annotated[
        str,
        typer.Option(metavar="NAME", help='A database of Spark\'s catalog; "*" for all, "lake.*" for another catalog.'),
    ] = "",
    storage: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="How an object store is reached; see `storage`.")
    ] = None,
    engine: o.Engine = "",
    owner: Annotated[str, typer.Option(metavar="NAME", help="Whom to ask about these tables.")] = "",
    tag: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A word for all of them; many times.")] = None,
    budget: Annotated[
        float | None,
        typer.Option(metavar="SHARE", min=1e-6, max=0.5, help="How often any table of a group may be stopped."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write.")] = Path(
        "byhistory.toml"
    ),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")] = False,
) -> None:
    """Find the tables in a folder or a catalog, propose how their runs are told apart, and write byhistory.toml.

    No rows are read. What it will cost to bring the past in is shown; `byhistory backfill --all` then does it.
    """
    from byhistory.cli._proposal import proposed, to_toml
    from byhistory.cli._say import say, table
    from byhistory.config import Config, parse_config
    from byhistory.files.lake import tables_below
    from byhistory.plain import plural
    from byhistory.spark.catalog import tables_in_catalog

    if bool(place) == bool(catalog):
        raise ByHistoryError("init", "a folder and a catalog" if place else "neither", "give a folder, or --catalog")
    if not dry_run and out.exists():
        todo = "give another name with -o, or take what you want from --dry-run"
        raise ByHistoryError(f"write {out}", "a file that is there already", todo)
    how = pairs(storage or [], "--storage")
    found = tables_below(place, how) if place else tables_in_catalog(spark_of(ctx), "" if catalog == "*" else catalog)
    proposals = [proposed(one) for one in found]
    text = to_toml(proposals, settings_of(ctx).store or Config().store, owner, tag or [], budget)
    head = [f'engine = "{engine}"'] if engine else []
    reached = ", ".join(f"{name} = {json.dumps(value)}" for name, value in how.items())
    head += [f"storage = {{ {reached} }}"] if how else []
    text = "\n".join([*head, text])
    parse_config(text, str(out))  # what we write is what we read
    rows = [(p.table.name, p.run_column or "–", p.sentence, _size(p.table.bytes)) for p in proposals]
    say(table(["table", "run column", "found", "size"], rows, right=["size"]))
    runs, histories = sum(len(p.labels) for p in proposals), [p.history for p in proposals if p.history is not None]
    say(f"cost: {plural(runs, 'run')} to bring in, {_to_read(found)}, about {_size(sum(histories))} of history")
    if dry_run:
        say(text)
        say(f"found: {plural(len(proposals), 'table')}; nothing was written")
        return
    out.write_text(text, encoding="utf-8")
    say(f"wrote {out}: {plural(len(proposals), 'table')}; read it, then `byhistory backfill --all`")


def _to_read(found: Sequence[FoundTable]) -> str:
    """How much a backfill reads, and of how many tables nobody knows it."""
    from byhistory.plain import plural

    sizes = [table.bytes for table in found if table.bytes]
    unknown = len(found) - len(sizes)
    if not sizes:
        return "nobody tells how much to read"
    return f"{_size(sum(sizes))} to read once" + f" and {plural(unknown, 'table')} of unknown size" * bool(unknown)


def _size(number: int | None) -> str:
    if not number:
        return "–"
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000:
            return f"{number:,.0f} {unit}"
        number /= 1000  # type: ignore[assignment]  # a float from here on
    return f"{number:,.1f} TB"
