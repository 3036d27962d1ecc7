"""The program as a whole: options in any place, and one sentence and one exit code for every error."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from byhistory.cli._say import note, safe
from byhistory.errors import ByHistoryError

COULD_NOT_RUN = 2
"""Exit code when there is no verdict."""
INTERRUPTED = 130
"""The exit code that shells give a program ended by Ctrl-C: 128 and the number of the signal."""

GLOBAL = {"--store": 1, "--config": 1, "--master": 1, "--remote": 1, "--conf": 1, "--verbose": 0, "-v": 0}
"""Options of the program itself, with the number of values that each takes."""


class CommandGroup(TyperGroup):
    """The group of all commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the program's own options wherever they stand: people write them last."""
        for arg in args:
            if any("\ud800" <= c <= "\udfff" for c in arg):  # how Python passes bytes that are no text
                raise typer.BadParameter(f"{arg!r} is no UTF-8; write it in UTF-8")
        return super().parse_args(ctx, hoisted(args))

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Only a verdict exits with 1, so that a crash is never taken for an alarm."""
        try:
            return super().invoke(ctx)
        except ByHistoryError as error:
            _shown(ctx, error, str(error))
        except KeyboardInterrupt:
            note("byhistory: interrupted; what was recorded before is kept")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader of our output has gone, as `| head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(COULD_NOT_RUN) from None
        except Exception as error:
            if isinstance(error, CLICKS):
                raise
            found = f"an error that was not expected ({type(error).__name__}: {str(error)[:300]})"
            todo = "run it again with --verbose, and report what it shows as a bug of byhistory"
            _shown(ctx, error, str(ByHistoryError("run this command", found, todo)))
        raise typer.Exit(COULD_NOT_RUN)


def _exceptions_of_typer() -> tuple[type[BaseException], ...]:
    """The exceptions with which typer ends a command or refuses its arguments: its own click's or the installed
    one's.
    """
    usage = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
    return typer.Exit, typer.Abort, usage


CLICKS = _exceptions_of_typer()


def _shown(ctx: Any, error: Exception, sentence: str) -> None:
    if _is_verbose(ctx):
        note(safe("".join(traceback.format_exception(error))))
    note(f"byhistory: {safe(sentence)}")


def _is_verbose(ctx: Any) -> bool:
    return bool(getattr(ctx.obj, "verbose", False) or ctx.params.get("verbose"))


def hoisted(args: list[str]) -> list[str]:
    """The arguments with the program's own options first; what follows `--` stays where it is.

    >>> hoisted(["check", "orders", "--store", "h.db", "--run", "5", "-v"])
    ['--store', 'h.db', '-v', 'check', 'orders', '--run', '5']
    """
    first: list[str] = []
    rest: list[str] = []
    i = 0
    while i < len(args):
        if args[i] == "--":
            return [*first, *rest, *args[i:]]
        name, equals, _ = args[i].partition("=")
        size = 1 + (GLOBAL.get(name, 0) if not equals else 0)
        (first if name in GLOBAL else rest).extend(args[i : i + size] if name in GLOBAL else args[i : i + 1])
        i += size if name in GLOBAL else 1
    return [*first, *rest]


if TYPE_CHECKING:
    _: type[TyperGroup] = CommandGroup
