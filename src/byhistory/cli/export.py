"""What was learned, for another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from byhistory.cli import _options as o
from byhistory.cli._settings import must_know, opened

EXAMPLES = """
byhistory export orders --to gx
byhistory export orders --to dbt --dir dbt_project --where "ds = '{{ var(\"run\") }}'"
byhistory export orders --to soda --dir checks
"""


def run(
    ctx: typer.Context,
    table: o.Table,
    to: Annotated[
        str, typer.Option(metavar="TOOL", help="gx (Great Expectations), odcs (Open Data Contract), dbt or soda.")
    ],
    folder: Annotated[Path, typer.Option("--dir", metavar="DIR", help="Where the files are written.")] = Path(),
    where: Annotated[
        str, typer.Option(metavar="SQL", help="The rows of one run, where the tool sees a table of many runs.")
    ] = "",
) -> None:
    """Write what was learned of a table in the words of another tool, and list what cannot be said there.

    The limits are for the next run: export again after every run.
    """
    from byhistory.cli._say import say
    from byhistory.cli._show import write
    from byhistory.report.answers.files import exported

    with opened(ctx) as guard:
        must_know(guard, table, f"export {table!r}")
        done = guard.learning.export(table, to, where)
    for name, text in done.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, text)
    say(exported(table, done, [folder / name for name in done.files]))
