"""Find tables, and write byhistory.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import pairs, settings_of, spark_of
from byhistory.errors import ByHistoryError

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
    from byhistory.cli._say import say
    from byhistory.config import Config, parse_config
    from byhistory.report.answers import init as answer
    from byhistory.validator.proposal import proposed_below, proposed_in_catalog

    if bool(place) == bool(catalog):
        raise ByHistoryError("init", "a folder and a catalog" if place else "neither", "give a folder, or --catalog")
    if not dry_run and out.exists():
        todo = "give another name with -o, or take what you want from --dry-run"
        raise ByHistoryError(f"write {out}", "a file that is there already", todo)
    how = pairs(storage or [], "--storage")
    proposals = proposed_below(place, how) if place else proposed_in_catalog(spark_of(ctx), catalog)
    own = settings_of(ctx).store or Config().store
    text = answer.to_toml(proposals, own, owner=owner, tags=tag or (), budget=budget, engine=engine, storage=how)
    parse_config(text, str(out))  # what we write is what we read
    say(answer.found(proposals))
    if small := answer.small_shares(proposals, budget or 1.0):
        say(small)
    if dry_run:
        say(text)
        say(answer.not_written(len(proposals)))
        return
    out.write_text(text, encoding="utf-8")
    say(answer.written(out, len(proposals)))
