"""Is the store sound?"""

from __future__ import annotations

import typer

from byhistory.cli._settings import opened

EXAMPLES = """
byhistory verify
byhistory verify --store postgresql://ann@db/quality
"""


def run(ctx: typer.Context) -> None:
    """Read the whole store and compare every checksum: what is damaged is named, with what to do.

    Exits with 1 if something is damaged. Nothing is written.
    """
    from byhistory.cli._progress import counting
    from byhistory.cli._say import say
    from byhistory.report.answers.store import verified

    with opened(ctx) as guard:
        where = guard.records.where
        with counting("reading", "runs") as progress:
            found = guard.records.verify(progress)
    say(verified(found, where))
    if found.problems:
        raise typer.Exit(1)
