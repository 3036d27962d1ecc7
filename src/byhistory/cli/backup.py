"""A copy of the store."""

from __future__ import annotations

from typing import Annotated

import typer

from byhistory.cli._settings import configuration, must_exist

EXAMPLES = """
byhistory backup backups/byhistory-2026-11-15.db
byhistory backup s3://bucket/backup --store s3://bucket/history
"""


def run(
    ctx: typer.Context,
    to: Annotated[str, typer.Argument(metavar="TO", help="A new file, or a new directory for a directory.")],
) -> None:
    """Copy the store as it is at one moment, while others write, and verify the copy.

    For SQLite and directories. PostgreSQL has pg_dump.
    """
    from byhistory.cli._say import say
    from byhistory.report.answers.store import copied
    from byhistory.validator.address import backup

    config = configuration(ctx)
    must_exist(config.store)
    done = backup(config.store, to)
    say(copied(done.source, done.to, done.found))
    if done.found.problems:
        raise typer.Exit(1)
