"""What can be done from a shell?

One file per command: it defines `run`, a function whose annotations are its options and whose docstring is its help,
and `EXAMPLES`, shown below the help; it is named in `COMMANDS`. What commands share is in files with a leading
underscore. Command files import nothing heavy at their top, so that `byhistory --help` answers at once.

Exit codes: 0 as usual or a warning, 1 stop, 2 could not run, 3 not all was judged (only with `--strict`).
"""

import gc
import importlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from byhistory import __version__
from byhistory.cli._program import CommandGroup
from byhistory.cli._settings import Settings
from byhistory.errors import ByHistoryError

COMMANDS = (
    "init",
    "backfill",
    "check",
    "why",
    "explain",
    "export",
    "report",
    "runs",
    "tables",
    "verify",
    "backup",
    "prune",
    "due",
    "inbox",
    "accept",
    "reject",
    "snooze",
    "undo",
    "backtest",
    "calibrate",
    "budget",
    "mute",
    "pin",
    "threshold",
    "unset",
    "serve",
    "account",
    "notify",
    "demo",
    "completion",
)


RARELY = (50_000, 20, 100)
"""How many objects are made before Python looks for cycles (its own: 700, 10, 10): so a check of 100,000 rows × 40
columns without Spark takes 1.2 s of CPU, not 1.6. A thousand modules are loaded, and none of them is garbage.
A fleet's processes do the same."""


def main() -> None:
    """Run the command that the shell's arguments name."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character gets its number
            stream.reconfigure(errors="backslashreplace")
    if "_BYHISTORY_COMPLETE" in os.environ:  # a shell asks what may come next
        from typer.completion import completion_init  # type: ignore[attr-defined]  # since typer 0.12

        completion_init()
    gc.set_threshold(*RARELY)
    try:
        app()()
    finally:
        gc.freeze()  # what is left ends with the process: nobody need look through it for cycles


def app() -> typer.Typer:
    """All commands as one program."""
    program = typer.Typer(
        name="byhistory",
        cls=CommandGroup,
        no_args_is_help=True,
        add_completion=False,  # it would write to the user's shell profile; `byhistory completion` prints
        rich_markup_mode=None,  # plain help: the same on every terminal, and no markup read from a message
        pretty_exceptions_enable=False,  # a traceback is for a bug report: plain text
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback(epilog=epilog(EXAMPLES))(options)
    for name in COMMANDS:
        module = importlib.import_module(f"byhistory.cli.{name}")
        program.command(name, epilog=epilog(module.EXAMPLES))(module.run)
    return program


EXAMPLES = """
byhistory backfill orders lake/orders --run-column ds
byhistory check orders lake/orders/ds=2026-11-15
byhistory demo
"""


def epilog(examples: str) -> str:
    """The examples as shown below a help text."""
    lines = "\n".join(f"  {line}" for line in examples.strip().splitlines())
    return f"\b\nExamples:\n{lines}"  # \b: these lines are not to be filled into a paragraph


def _version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


def options(
    ctx: typer.Context,
    store: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="BYHISTORY_STORE",
            show_envvar=True,
            help="Where the history is kept: sqlite:///file.db, postgresql://…, or a directory. "
            "Default: what byhistory.toml says, else sqlite:///byhistory.db.",
        ),
    ] = "",
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", envvar="BYHISTORY_CONFIG", show_envvar=True, help="Default: byhistory.toml, if any."
        ),
    ] = None,
    server: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="BYHISTORY_SERVER",
            show_envvar=True,
            help="Ask a console (`byhistory serve`) instead of the store; its token is in BYHISTORY_TOKEN.",
        ),
    ] = "",
    master: Annotated[
        str,
        typer.Option(metavar="URL", help="Run Spark there: local[4], spark://host:7077, yarn. Default: local[*]."),
    ] = "",
    remote: Annotated[str, typer.Option(metavar="URL", help="Use a Spark Connect server: sc://host:15002.")] = "",
    conf: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A setting for Spark; may be given many times.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say what is done, and show the whole of an error.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn what is usual for a recurring table from its past runs, and say what is not.

    These options may stand before or after the command.

    Exit codes: 0 as usual or a warning, 1 stop, 2 could not run, 3 not all was judged (only with --strict).
    """
    del version  # answered by its callback
    if master and remote:
        raise ByHistoryError(
            "start Spark", f"both --master {master} and --remote {remote}", "give one: a cluster, or a Connect server"
        )
    if server and not server.startswith(("http://", "https://")):
        raise ByHistoryError("ask a console", f"--server {server}", "give its address: https://console.example")
    ctx.obj = Settings(server or store, config, master, remote, tuple(conf or ()), verbose)
