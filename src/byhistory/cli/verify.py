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
    from byhistory.cli._say import say, word
    from byhistory.plain import LONGEST_SENTENCE, plain, plural

    with opened(ctx) as guard:
        where = word(guard.records.where)
        with counting("reading", "runs") as progress:
            found = guard.records.verify(progress)
    for problem in found.problems:
        say(f"damaged: {plain(str(problem), LONGEST_SENTENCE)}")
    read = [(found.tables, "table"), (found.runs, "run"), (found.profiles, "profile"), (found.decisions, "decision")]
    read += [(found.settings, "setting")]
    said = ", ".join(plural(count, what) for count, what in read)
    if found.problems:
        say(f"{plural(len(found.problems), 'problem')} in {where}; sound are {said}")
        raise typer.Exit(1)
    say(f"sound: {said} in {where}")
